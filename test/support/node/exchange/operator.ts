import { generate } from 'otplib';
import type { Asset } from '../../../../src/money/assets.ts';
import type { Network } from '../../../../src/money/networks.ts';
import type { MoveMarket } from '../../../../src/sandbox/market.ts';
import { Client, type KeyOptions, RAISED } from '../../client.ts';
import { fetchDocumented } from './fetch-documented.ts';

const OPERATOR_TOKEN = 'sandbox-operator-token-of-the-public-repository';

/** How long a code of the second factor is the present one (RFC 6238). */
const STEP_MS = 30_000;

/** The operator of an exchange on loopback, by the token of the public sandbox unless told. */
export class Operator {
  readonly origin: string;
  readonly #token: string;

  constructor(origin: string, token = OPERATOR_TOKEN) {
    this.origin = origin;
    this.#token = token;
  }

  /** Sends JSON as the operator, and returns the answer, also a refusal. */
  ask(method: string, path: string, body?: unknown): Promise<Response> {
    return fetchDocumented(this.origin, `/operator/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Sends JSON as the operator, and returns the JSON of the answer. Rejects when it is a refusal. */
  async operate<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.ask(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async openAccount(funds: Partial<Record<Asset, string>> = {}): Promise<string> {
    const { account } = await this.operate<{ account: { id: string } }>('POST', '/accounts', { label: 'test' });
    await this.credit(account.id, funds);
    return account.id;
  }

  async credit(accountId: string, funds: Partial<Record<Asset, string>>): Promise<void> {
    for (const [asset, amount] of Object.entries(funds)) {
      await this.operate('POST', `/accounts/${accountId}/credits`, { asset, amount, reference: `fund ${asset}` });
    }
  }

  /** Has accounts opened in these ledgers alone from now on, with the same probability. New ledgers have their shares then. */
  async openIn(...ledgers: readonly number[]): Promise<void> {
    const openingWeights = Object.fromEntries(ledgers.map((ledger) => [ledger, 1]));
    await this.operate('PATCH', '/settings', { openingWeights });
  }

  /** Makes a key of an account and gives its token; all scopes and raised buckets unless told. */
  async createKey(accountId: string, options: KeyOptions = {}): Promise<string> {
    return (await this.createClient(accountId, options)).token;
  }

  async createClient(accountId: string, options: KeyOptions = {}): Promise<Client> {
    const path = `/accounts/${accountId}/api-keys`;
    const { apiKey, token } = await this.operate<{ apiKey: { id: string }; token: string }>('POST', path, {
      label: 'test',
      scopes: ['read', 'trade', 'withdraw'],
      rateLimits: RAISED,
      ...options,
    });
    return new Client(accountId, apiKey.id, token, (to, init) => fetchDocumented(this.origin, to, init));
  }

  async openClient(funds: Partial<Record<Asset, string>> = {}, options: KeyOptions = {}): Promise<Client> {
    return this.createClient(await this.openAccount(funds), options);
  }

  /** Switches the second factor of an account on, and gives its secret. The code of this moment is not spent. */
  async enableTotp(accountId: string): Promise<string> {
    const { secret } = await this.operate<{ secret: string }>('POST', `/accounts/${accountId}/totp`);
    for (;;) {
      const step = Math.floor(Date.now() / STEP_MS);
      // The code of the step before this one is good until this one ends.
      const totpCode = await generate({ secret, epoch: ((step - 1) * STEP_MS) / 1_000 });
      const response = await this.ask('POST', `/accounts/${accountId}/totp/confirm`, { totpCode });
      if (response.ok) return secret;
      // It may have ended on the way.
      if (step === Math.floor(Date.now() / STEP_MS)) throw new Error(`${response.status} ${await response.text()}`);
    }
  }

  /** Deposits coins from nowhere, as a sandbox's operator can. */
  async giveDeposit(accountId: string, asset: Asset, network: Network, amount: string): Promise<void> {
    await this.operate('POST', '/sandbox/deposits', { accountId, asset, network, amount });
  }

  /** Moves a sandbox's market while `act` runs, and gives it back to itself. */
  async withMarket<T>(change: MoveMarket, act: () => Promise<T>): Promise<T> {
    await this.operate('PATCH', '/sandbox/market', change);
    try {
      return await act();
    } finally {
      const prices = Object.fromEntries(Object.keys(change.prices ?? {}).map((coin) => [coin, null]));
      await this.operate('PATCH', '/sandbox/market', { prices, sources: 'up' });
    }
  }

  /** Changes the settings while `act` runs, and puts them back as they were. */
  async withSettings<T>(change: Record<string, unknown>, act: () => Promise<T>): Promise<T> {
    const { settings } = await this.operate<{ settings: Record<string, unknown> }>('GET', '/settings');
    await this.operate('PATCH', '/settings', change);
    try {
      return await act();
    } finally {
      const before = Object.fromEntries(Object.keys(change).map((name) => [name, settings[name]]));
      await this.operate('PATCH', '/settings', before);
    }
  }
}
