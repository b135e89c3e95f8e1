import { parseArgs } from 'node:util';
import { networks } from '../../../src/money/networks.ts';
import { Secrets, readConfig } from '../config.ts';
import { connectBureau } from '../contract/bureau.ts';
import { type Finding, check } from '../check.ts';
import { examineBitcoin, examineEvm, examineSolana, examineTron } from '../examine.ts';
import type { BitcoinNetwork, EvmNetwork, SolanaNetwork, TronNetwork } from '../networks.ts';
import { connectSigner } from '../signer/connect.ts';

/**
 * Checks nodes, signer and Bureau before the custodian is started, and changes nothing:
 * `node src/commands/doctor.ts --config FILE`. Its exit code is 1 when a check fails.
 */
const { values } = parseArgs({ options: { config: { type: 'string' } } });
if (values.config === undefined) throw new Error('--config is missing');
const config = readConfig(values.config, process.env);
const { BUREAU_DEPOSIT_TOKEN: depositToken, serviceToken } = Secrets.parse(process.env);
const bureau = connectBureau(config.bureauUrl, { depositToken, serviceToken });
const askSigner = connectSigner(config.signerSocket);
const families = [config.evm, config.bitcoin, config.solana, config.tron];
const served: readonly string[] = families.flatMap((family) => Object.keys(family));

const findings: Finding[] = [
  await check(
    'Bureau answers with the deposit token',
    async () => `${await bureau.countAddresses()} indexes are given`,
  ),
  await check('the signer answers, and its policy names every network', async () => {
    const answer = await askSigner({ kind: 'addresses' });
    if (answer.kind !== 'addresses') throw new Error(`it answers ${answer.kind}`);
    const missing = served.filter((network) => !answer.networks[network]);
    if (missing.length > 0) throw new Error(`it does not name ${missing.join(', ')}`);
    return served.map((network) => `${network} ${answer.networks[network]?.hot}`).join(', ');
  }),
  await check('what Bureau can compare', () => {
    const missing = networks.filter((network) => !served.includes(network) && !config.nothingHeldOn.includes(network));
    if (missing.length === 0) return Promise.resolve('every asset');
    return Promise.resolve(`no asset of ${missing.join(', ')}: not configured, and not in nothingHeldOn`);
  }),
];
for (const [network, settings] of Object.entries(config.evm)) {
  findings.push(...(await examineEvm(network as EvmNetwork, settings, Date.now())));
}
for (const [network, settings] of Object.entries(config.bitcoin)) {
  findings.push(...(await examineBitcoin(network as BitcoinNetwork, settings, Date.now())));
}
for (const [network, settings] of Object.entries(config.solana)) {
  findings.push(...(await examineSolana(network as SolanaNetwork, settings, Date.now())));
}
for (const [network, settings] of Object.entries(config.tron)) {
  findings.push(...(await examineTron(network as TronNetwork, settings, Date.now())));
}
for (const { name, isRight, detail } of findings) console.log(`${isRight ? 'ok   ' : 'WRONG'}  ${name}: ${detail}`);
if (findings.some(({ isRight }) => !isRight)) process.exitCode = 1;
