import { AsyncLocalStorage } from 'node:async_hooks';

/** The header with which a request to the sandbox names what shall go wrong with it. Production does not know it. */
export const SCENARIO_HEADER = 'X-Sandbox-Scenario';

const ORDER = 'POST /api/v1/orders';
const WITHDRAWAL = 'POST /api/v1/wallet/withdrawals';

/** Every scenario, with the requests that it is for; `null` is every request with an API key. */
export const scenarios = {
  /** The house takes no more of this position: the database refuses the order. */
  order_rejected: [ORDER],
  /** The effect takes place, and every connection that could tell is lost. */
  outcome_unknown: [ORDER, WITHDRAWAL],
  /** The gate or the database is overloaded, and nothing happens. */
  service_unavailable: [ORDER, WITHDRAWAL],
  /** The bucket of the key is empty. */
  rate_limited: null,
  /** The custodian does not answer, and never says what became of the payout. */
  custodian_hangs: [WITHDRAWAL],
  custodian_refuses: [WITHDRAWAL],
  /** The custodian takes the payout, and pays it `PAYS_AFTER_MS` later. */
  custodian_pays_late: [WITHDRAWAL],
} as const satisfies Record<string, readonly string[] | null>;

export type Scenario = keyof typeof scenarios;

/** A call that crosses to an object, with its scenario. */
export interface Staged {
  readonly scenario?: Scenario | undefined;
}

/** What is being played during one call of an object. */
export interface Scene {
  readonly scenario: Scenario;
  /** Whether the database is out of reach for the rest of the call. */
  isCutOff: boolean;
}

const scenes = new AsyncLocalStorage<Scene | undefined>();

/** Runs `act` in a scenario: everything that it awaits can ask for the scene. */
export function play<T>(scenario: Scenario | undefined, act: () => T): T {
  return scenes.run(scenario && { scenario, isCutOff: false }, act);
}

/** What is being played in this call; `undefined` outside of a scenario. */
export function currentScene(): Scene | undefined {
  return scenes.getStore();
}

export function isScenario(name: string): name is Scenario {
  return Object.hasOwn(scenarios, name);
}
