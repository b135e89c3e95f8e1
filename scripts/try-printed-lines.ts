import { type LocalExchange, expectThat } from './local-exchange.ts';
import { runShell } from './run-examples.ts';

/** What an account holds of one asset. */
interface PrintedBalance {
  readonly amount: string;
}

function paste({ greeting }: LocalExchange, title: string): Promise<string> {
  const line = greeting.slice(greeting.indexOf(title)).split('\n')[1]?.trim();
  if (!line?.startsWith('curl')) throw new Error(`the greeting has no line for "${title}"`);
  return runShell(line);
}

/** The balances of the demo account, by the line that `npm start` printed. */
export async function readBalances(exchange: LocalExchange): Promise<readonly PrintedBalance[]> {
  const answer = JSON.parse(await paste(exchange, 'What the demo account holds')) as { balances: PrintedBalance[] };
  return answer.balances;
}

/** Runs the lines that a new exchange printed, as its reader would paste them. Returns the balances before the order. */
export async function tryPrintedLines(exchange: LocalExchange): Promise<readonly PrintedBalance[]> {
  const funded = await readBalances(exchange);
  expectThat(funded.length === 9 && funded.every(({ amount }) => amount !== '0'), 'nine funded assets');
  const bought = JSON.parse(await paste(exchange, 'Buy bitcoin')) as { order?: { usdtAmount: string } };
  expectThat(bought.order?.usdtAmount === '100', 'an order for 100 USDT is filled');
  const [, admin = ''] = /^signed in as \S+: (.+)$/m.exec(exchange.greeting) ?? [];
  const headers = { 'Cf-Access-Jwt-Assertion': admin };
  const signedIn = (await (await fetch(`${exchange.origin}/operator/v1/me`, { headers })).json()) as {
    me?: { roles: string[] };
  };
  expectThat(signedIn.me?.roles.join() === 'admin', 'an admin who signed in');
  for (const secret of [admin, exchange.valueOf('operator token')]) {
    expectThat(exchange.greeting.split(secret).length === 2, 'a token of the staff is printed once');
  }
  const market = JSON.parse(await paste(exchange, 'The market')) as { tickers: unknown[]; degraded: boolean };
  expectThat(market.tickers.length === 8 && !market.degraded, 'eight tickers');
  return funded;
}
