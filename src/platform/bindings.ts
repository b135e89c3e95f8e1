/**
 * The databases of the ledgers: `DB` is ledger 0, and `DB_1` to `DB_n` are the others, if there are any. Only
 * `db/database.ts` reads them.
 */
export interface LedgerBindings {
  readonly DB: D1Database;
  readonly [further: `DB_${number}`]: D1Database | undefined;
}

/**
 * What the platform binds to the Worker. The objects' classes are not named here, since they are in rooms above: who
 * calls `reach` says which methods an object has.
 */
export interface Bindings extends LedgerBindings {
  readonly KEY_LANE: DurableObjectNamespace;
  readonly LEDGER_GATE: DurableObjectNamespace;
  readonly LEDGER_KEEPER: DurableObjectNamespace;
  readonly LEDGER_HEDGER: DurableObjectNamespace;
  readonly PRICE_HUB: DurableObjectNamespace;
  readonly CANDLE_HUB: DurableObjectNamespace;
  readonly WEBHOOK_SENDER: DurableObjectNamespace;
  readonly ACCOUNT_STREAM: DurableObjectNamespace;
  readonly MARKET_STREAM: DurableObjectNamespace;
  /** The regions where the ledger's objects and the hubs are created. `Config` checks them when the Worker starts. */
  readonly LEDGER_LOCATION: DurableObjectLocationHint;
  readonly PRICE_HUB_LOCATION: DurableObjectLocationHint;
  /** The site's files. A run that has no site has none. */
  readonly SITE?: Fetcher;
  /** Counts callers without a key by IPv4 address or by /64 of IPv6. */
  readonly ANONYMOUS_READS: RateLimit;
  /** Counts the same callers by /48 of IPv6. */
  readonly ANONYMOUS_NETWORKS: RateLimit;
}
