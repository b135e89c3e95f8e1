import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../src/sandbox/scenario.ts';
import type { Client } from '../support/client.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '5' };
const PAYOUT = { asset: 'USDT', network: 'TRC20', amount: '20', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' };

/** How often each scenario, and none, is played at once. */
const TIMES = 8;

const { operator } = await openExchange({ site: true });

/** Sends a POST in a scenario or in none, and says what it was answered: a problem's code, or the status of the record. */
async function post(path: string, client: Client, body: object, scenario?: Scenario): Promise<string> {
  const response = await client.post(path, body, scenario && { 'X-Sandbox-Scenario': scenario });
  const answer = (await response.json()) as Record<'order' | 'withdrawal', { status: string } | undefined> & {
    code?: string;
  };
  return answer.code ?? (answer.order ?? answer.withdrawal)?.status ?? 'no answer';
}

const openAccount = () => operator.openClient({ USDT: '10000' });

function mix(answers: readonly (readonly [Scenario | undefined, string])[]) {
  return Array.from({ length: TIMES }, () => answers).flat();
}

const orders = mix([
  [undefined, 'COMPLETED'],
  ['order_rejected', 'order_rejected'],
  ['outcome_unknown', 'outcome_unknown'],
  ['service_unavailable', 'service_unavailable'],
]);
const withdrawals = mix([
  [undefined, 'COMPLETED'],
  ['custodian_refuses', 'FAILED'],
  ['custodian_pays_late', 'PROCESSING'],
  ['outcome_unknown', 'outcome_unknown'],
  ['service_unavailable', 'service_unavailable'],
]).slice(0, 20);

describe('a scenario belongs to its request', () => {
  it('when orders of many keys, with the header and without, share the batches of the gate', async () => {
    const keys = await Promise.all(orders.map(openAccount));
    const answers = keys.map((key, index) => post('/api/v1/orders', key, ORDER, orders[index]?.[0]));
    expect(await Promise.all(answers)).toEqual(orders.map(([, answer]) => answer));
  });

  it('when the orders of one key wait for each other', async () => {
    const key = await openAccount();
    const some = orders.slice(0, 20);
    const answers = some.map(([scenario]) => post('/api/v1/orders', key, ORDER, scenario));
    expect(await Promise.all(answers)).toEqual(some.map(([, answer]) => answer));
  });

  it('when the withdrawals of one key wait for each other', async () => {
    const key = await openAccount();
    const answers = withdrawals.map(([scenario]) => post('/api/v1/wallet/withdrawals', key, PAYOUT, scenario));
    expect(await Promise.all(answers)).toEqual(withdrawals.map(([, answer]) => answer));
  });

  it('when a key’s reads are counted', async () => {
    const key = await openAccount();
    const read = async (scenario?: Scenario) => {
      const response = await key.get('/api/v1/wallet/balances', scenario && { 'X-Sandbox-Scenario': scenario });
      await response.arrayBuffer();
      return response.status;
    };
    const answers = Array.from({ length: 2 * TIMES }, (_, index) => read(index % 2 ? 'rate_limited' : undefined));
    expect(await Promise.all(answers)).toEqual(answers.map((_, index) => (index % 2 ? 429 : 200)));
  });
});
