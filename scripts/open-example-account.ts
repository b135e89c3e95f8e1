import { Operator } from '../test/support/node/exchange/operator.ts';
import type { LocalExchange } from './local-exchange.ts';
import { readDemoValues } from './run-examples.ts';

export type ExampleAccount = ReturnType<typeof readDemoValues>;

/** Opens an account with funds in four assets. Returns the values of the demo account with this account in its place. */
export async function openExampleAccount(exchange: LocalExchange): Promise<ExampleAccount> {
  const demo = readDemoValues(exchange);
  const operator = new Operator(exchange.origin, demo.OPERATOR);
  const id = await operator.openAccount({ USDT: '100000', BTC: '1', ETH: '10', LTC: '100' });
  const key = { label: 'examples', scopes: ['read', 'trade', 'withdraw', 'webhooks'] };
  const { token } = await operator.operate<{ token: string }>('POST', `/accounts/${id}/api-keys`, key);
  return { ...demo, ACCOUNT: id, KEY: token };
}

/** Switches the second factor of an account on, and returns its secret. The code of this moment stays unused. */
export function enableTotp({ URL, OPERATOR, ACCOUNT }: ExampleAccount): Promise<string> {
  return new Operator(URL, OPERATOR).enableTotp(ACCOUNT);
}
