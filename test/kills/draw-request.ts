import type { Draw } from '../support/draw.ts';

/** An account of the run, with the tokens of its keys and an address at which other accounts pay it. */
export interface Party {
  readonly accountId: string;
  readonly tokens: readonly string[];
  readonly depositAddress: string;
}

/** A POST that takes effect once. Its client sends it until it gets an answer. */
export interface MoneyRequest {
  readonly kind: 'order' | 'withdrawal' | 'credit';
  readonly accountId: string;
  readonly token: string;
  readonly path: string;
  readonly idempotencyKey: string;
  readonly body: Readonly<Record<string, string>>;
  /** An amount that no other request of the run has, by which its record is found even without an answer. */
  readonly mark: string;
}

/** The amount of a withdrawal: above the network's minimum, and small enough for many. */
const routes = [
  { asset: 'USDT', network: 'TRC20', whole: '12.0', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' },
  { asset: 'ETH', network: 'ETH', whole: '0.05', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
  { asset: 'USDC', network: 'BASE', whole: '6.0', address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' },
] as const;

/**
 * Makes the requests of a run. Every amount ends in the number of its request, so that a record can be assigned to its
 * request even when no answer arrived.
 */
export class RequestMaker {
  readonly #draw: Draw;
  readonly #operatorToken: string;
  readonly #parties: readonly Party[];
  readonly #run: string;
  #count = 0;

  constructor(draw: Draw, parties: readonly Party[], operatorToken: string, run: string) {
    this.#draw = draw;
    this.#parties = parties;
    this.#operatorToken = operatorToken;
    this.#run = run;
  }

  make(party: Party, token: string): MoneyRequest {
    this.#count += 1;
    const number = String(this.#count).padStart(5, '0');
    const idempotencyKey = `${this.#run}-${number}`;
    const common = { accountId: party.accountId, token, idempotencyKey };
    const share = this.#draw.next();
    if (share < 0.55) return { ...common, kind: 'order', path: '/api/v1/orders', ...this.#drawOrder(number) };
    if (share < 0.93) {
      const path = '/api/v1/wallet/withdrawals';
      return { ...common, kind: 'withdrawal', path, ...this.#drawWithdrawal(party, number) };
    }
    const path = `/operator/v1/accounts/${party.accountId}/credits`;
    const amount = `1.0${number.slice(-5)}`;
    const body = { asset: 'USDT', amount: trim(amount), reference: idempotencyKey };
    return { ...common, kind: 'credit', token: this.#operatorToken, path, body, mark: idempotencyKey };
  }

  #drawOrder(number: string): Pick<MoneyRequest, 'body' | 'mark'> {
    const side = this.#draw.pick(['BUY', 'SELL']);
    if (this.#draw.happens(0.5)) {
      const value = trim(`${this.#draw.between(2, 9)}.${this.#draw.between(0, 9)}${number}`);
      return { body: { coin: this.#draw.pick(['BTC', 'ETH', 'DOGE']), side, mode: 'USDT_AMOUNT', value }, mark: value };
    }
    const value = trim(`0.0${this.#draw.between(1, 9)}0${number}`);
    return { body: { coin: this.#draw.pick(['ETH', 'LTC']), side, mode: 'COIN_QTY', value }, mark: value };
  }

  #drawWithdrawal(party: Party, number: string): Pick<MoneyRequest, 'body' | 'mark'> {
    const { asset, network, whole, address: outside } = this.#draw.pick(routes);
    const others = this.#parties.filter(({ accountId }) => accountId !== party.accountId);
    const inside = asset === 'USDT' && this.#draw.happens(0.25) ? this.#draw.pick(others).depositAddress : undefined;
    const amount = trim(`${whole}${number}`);
    return { body: { asset, network, amount, address: inside ?? outside }, mark: amount };
  }
}

/** An amount as the exchange writes it, without trailing zeros. */
function trim(decimal: string): string {
  return decimal.replace(/0+$/, '').replace(/\.$/, '');
}
