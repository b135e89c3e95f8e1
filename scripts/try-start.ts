import { readFileSync } from 'node:fs';
import { checkRouting } from './check-routing.ts';
import { type LocalExchange, expectThat, withLocalExchange } from './local-exchange.ts';
import { runShell, runExamples, readDemoValues } from './run-examples.ts';
import { tryClientReadmes } from './try-client-readmes.ts';
import { tryGuides } from './try-guides.ts';

/**
 * Tries `npm start` as a trader would. It starts an exchange on a free port with fresh storage, runs the lines that it
 * prints and those of the README, the clients' READMEs and the guides. Then it restarts the exchange and expects the
 * same account with the same balances.
 */

/** Runs a line that `npm start` printed. */
function paste({ greeting }: LocalExchange, title: string): Promise<string> {
  const line = greeting.slice(greeting.indexOf(title)).split('\n')[1]?.trim();
  if (!line?.startsWith('curl')) throw new Error(`the greeting has no line for "${title}"`);
  return runShell(line);
}

async function readBalances(exchange: LocalExchange): Promise<readonly { readonly amount: string }[]> {
  const answer = JSON.parse(await paste(exchange, 'What the demo account holds')) as { balances: { amount: string }[] };
  return answer.balances;
}

/** Runs the README's examples on money in and out. */
async function tryReadme(exchange: LocalExchange): Promise<void> {
  const readme = readFileSync('README.md', 'utf8');
  const section = readme.slice(readme.indexOf('## Money in')).split('\n## ')[0] ?? '';
  const output = await runExamples(section, readDemoValues(exchange));
  expectThat(output.includes('{"totp":{"enabled":true}}'), 'the README switches two-factor authentication on');
  expectThat(output.includes('"label":"cold wallet"'), 'the README approves an address');
  expectThat(/"status":"PENDING".*"status":"COMPLETED"/s.test(output), 'the README’s deposit is confirmed');
  expectThat(output.includes('{"asset":"ETH","amount":"10.5"}'), 'the README’s deposit is in the balance');
  expectThat(/"withdrawal":{[^}]*"status":"COMPLETED","txHash":"0x/.test(output), 'the README’s withdrawal is paid');
  expectThat(/"status":"PENDING","txHash":null/.test(output), 'the README’s second withdrawal waits for its review');
  expectThat(output.split('"status":"COMPLETED","txHash":"0x').length >= 6, 'and is paid once approved');
  expectThat(/"transactions":\[{[^}]*"type":"ONCHAIN_DEPOSIT"/.test(output), 'the README’s deposit is in the feed');
  expectThat(/"transactions":\[{[^}]*"type":"QUICK_BUY"/.test(output), 'the README’s settlement is in the feed');
}

await withLocalExchange(async (start) => {
  const first = await start();
  expectThat(first.valueOf('operator token').length >= 32, 'the operator token is printed');
  await checkRouting(first);
  const funded = await readBalances(first);
  expectThat(funded.length === 9 && funded.every(({ amount }) => amount !== '0'), 'nine funded assets');
  const bought = JSON.parse(await paste(first, 'Buy bitcoin')) as { order?: { usdtAmount: string } };
  expectThat(bought.order?.usdtAmount === '100', 'an order for 100 USDT is filled');
  const market = JSON.parse(await paste(first, 'The market')) as { tickers: unknown[]; degraded: boolean };
  expectThat(market.tickers.length === 8 && !market.degraded, 'eight tickers');
  await tryReadme(first);
  await tryClientReadmes(first);
  await tryGuides(first);
  const left = JSON.stringify(await readBalances(first));
  expectThat(left !== JSON.stringify(funded), 'the examples have moved money');
  await first.stop();

  const second = await start();
  expectThat(second.valueOf('api key') === first.valueOf('api key'), 'the same key after a restart');
  expectThat(JSON.stringify(await readBalances(second)) === left, 'the data is kept over a restart');
});
