import { readFileSync } from 'node:fs';
import { withLocalExchange } from './local-exchange.ts';
import { type Expectation, expectOutput, runExamples } from './run-examples.ts';
import { CHAINS_GUIDE } from './try-guides.ts';

/** Tries `npm run start:chains` as a newcomer would: with the lines of its guide, on a free port and fresh storage. */
const expected: readonly Expectation[] = [
  ['the faucet’s payment', /"network":"ETH","address":"0x[^}]*"amount":"2","txHash":"0x[0-9a-f]{64}"/],
  ['the deposit in the balance', /{"asset":"ETH","amount":"2"}/],
  ['the deposit in the feed', /"type":"ONCHAIN_DEPOSIT"/],
  ['a withdrawal that is with the custodian', /"status":"PROCESSING","txHash":null/],
  ['the same withdrawal paid', /"status":"COMPLETED","txHash":"0x[0-9a-f]{64}"/],
  ['the deposit of USDT on Tron', /{"asset":"USDT","amount":"25"}|"network":"TRC20","address":"T[^}]*"amount":"25"/],
  ['the withdrawal on Tron', /"status":"COMPLETED","txHash":"[0-9a-f]{64}"/],
  ['the USDT on the chain', /"network":"TRC20","address":"TJRy[^}]*"balance":"10"/],
  ['the deposit of USDC on Solana', /{"asset":"USDC","amount":"40"}|"network":"SOL","address":"[^}]*"amount":"40"/],
  ['the USDC on the chain', /"network":"SOL","address":"J2xc[^}]*"balance":"15"/],
  ['the coins on the chain', /"address":"0x5290[^}]*"balance":"0\.75"/],
];

await withLocalExchange(async (start) => {
  const exchange = await start();
  const values = {
    URL: exchange.origin,
    OPERATOR: exchange.valueOf('operator token'),
    FAUCET: exchange.valueOf('faucet'),
  };
  expectOutput(
    CHAINS_GUIDE,
    await runExamples(readFileSync(`docs/guides/${CHAINS_GUIDE}.md`, 'utf8'), values),
    expected,
  );
}, 'scripts/start-chains.ts');
