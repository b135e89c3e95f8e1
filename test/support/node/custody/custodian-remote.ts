import type {
  CustodianAnswer,
  CustodianDecision,
  CustodianPayout,
  CustodianProgramme,
  CustodianReport,
  CustodianRequests,
} from './custodian-state.ts';

/** Controls a server that plays the custodian, from any process or runtime. */
export class CustodianRemote {
  readonly #server: string;

  constructor(server: string) {
    this.#server = server;
  }

  /** Empties the custodian's records and makes it behave correctly again. */
  async reset(): Promise<void> {
    await this.#call('DELETE');
  }

  /**
   * Sets how the custodian treats the next requests: `{ method: 'PUT', act: 'pay', answer: 'error' }` is a 500 after
   * acting, `{ method: 'GET', times: null, answer: 'never_seen' }` a custodian that forgets.
   */
  async program(programme: CustodianProgramme): Promise<void> {
    await this.#call('POST', programme);
  }

  /** Sets how the custodian answers what it holds from now on: by default it does not say. */
  async setHoldings(answer: CustodianAnswer): Promise<void> {
    await this.#call('PUT', answer);
  }

  /** Lets the custodian pay what it accepted, refuse it after all, or replace its transaction. */
  async decide(withdrawalId: string, act: CustodianDecision['act']): Promise<void> {
    await this.#call('PATCH', { withdrawalId, act } satisfies CustodianDecision);
  }

  /** The custodian's entries, one per withdrawal id, with how often it was paid. */
  async listPayouts(): Promise<readonly CustodianPayout[]> {
    return (await this.#call('GET')).payouts;
  }

  /** How often the custodian was asked about a withdrawal, whether it acted or not. */
  async countRequests(withdrawalId: string): Promise<CustodianRequests> {
    return (await this.listRequests())[withdrawalId] ?? { submissions: 0, lookups: 0 };
  }

  /** The same of all withdrawals that it was asked about, by id. */
  async listRequests(): Promise<CustodianReport['requests']> {
    return (await this.#call('GET')).requests;
  }

  async listRejections(): Promise<readonly string[]> {
    return (await this.#call('GET')).rejections;
  }

  async #call(method: string, body?: unknown): Promise<CustodianReport> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${this.#server}/control`, init);
    if (!response.ok) throw new Error(`the played custodian: ${response.status}`);
    return (await response.json()) as CustodianReport;
  }
}
