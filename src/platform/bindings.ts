/**
 * What the platform binds to the Worker. Which class an object is of says the room that it lives in, by the function
 * that gives out its stub: `laneOf`, `readSnapshot`, `readCandles`, `fillAtGate`, `reachKeeper`.
 */
export interface Bindings {
  readonly DB: D1Database;
  readonly KEY_LANE: DurableObjectNamespace;
  readonly LEDGER_GATE: DurableObjectNamespace;
  readonly LEDGER_KEEPER: DurableObjectNamespace;
  readonly PRICE_HUB: DurableObjectNamespace;
  readonly CANDLE_HUB: DurableObjectNamespace;
  /** Where the ledger's objects, and the hubs, are asked to live: checked by `Config` when the Worker starts. */
  readonly LEDGER_LOCATION: DurableObjectLocationHint;
  readonly PRICE_HUB_LOCATION: DurableObjectLocationHint;
  /** Counts callers without a key by IPv4 address or by /64 of IPv6. */
  readonly ANONYMOUS_READS: RateLimit;
  /** Counts the /48s of IPv6 that these are in. */
  readonly ANONYMOUS_NETWORKS: RateLimit;
}
