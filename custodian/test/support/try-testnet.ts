import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { deriveDepositKeys, readSeed } from '../../../scripts/offline-wallet.ts';
import { assets } from '../../../src/money/assets.ts';
import { Config } from '../../src/config.ts';
import { SOLANA_GENESIS, genesisHashes } from '../../src/networks.ts';
import { startService } from '../../src/service.ts';
import { SignatureLog } from '../../src/signer/signature-log.ts';
import { answerSigner } from '../../src/signer/signer.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { DEPOSIT_TOKEN, KEY_ID, PlayedBureau, SECRET, askCustodian } from './play-bureau.ts';
import { writeConfig } from './run-custodian.ts';
import { newFolder, policy } from './signing.ts';

/** A network for tests, whose coins are worth nothing. */
export interface Testnet {
  readonly network: 'TRC20' | 'SOL';
  readonly asset: 'USDT' | 'USDC';
  readonly nodes: readonly string[];
  /** The hash of its first block, which is not the main network's. */
  readonly genesis: string;
  /** The token there, in place of the one that is listed. */
  readonly contract: string;
}

export const testnets: Readonly<Record<'nile' | 'devnet', Testnet>> = {
  nile: {
    network: 'TRC20',
    asset: 'USDT',
    nodes: ['https://nile.trongrid.io'],
    genesis: '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc',
    contract: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
  },
  devnet: {
    network: 'SOL',
    asset: 'USDC',
    nodes: ['https://api.devnet.solana.com'],
    genesis: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
    contract: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  },
};

/** What is paid, and swept back. */
const AMOUNT = '1';

/**
 * Lists another contract for an asset, in this process. Only tests can do that: no program of the custodian or of the Worker
 * has a way to it, and the custodian follows no chain that begins with another block than its configuration says. Throws for
 * a main network.
 */
function listTestContract({ network, asset, contract, genesis }: Testnet): void {
  if ([SOLANA_GENESIS, genesisHashes.TRC20].includes(genesis)) throw new Error(`${network} is the main network`);
  const listed = assets[asset].networks.find((one) => one.network === network);
  if (!listed) throw new Error(`${asset} is not on ${network}`);
  Object.assign(listed, { contractAddress: contract });
}

export interface TestnetTrial {
  readonly testnet: Testnet;
  /** Of a wallet for tests alone, whose hot address has the token and the network's coin. */
  readonly mnemonic: string;
  readonly say: (line: string) => void;
  readonly pause: () => Promise<void>;
  readonly patience_ms: number;
}

/**
 * Has the custodian pay one of a token to a deposit address of its own, see that deposit, and sweep it back: so a payout, a
 * deposit and a sweep are tried on a network. Rejects when one does not come to its end in time.
 */
export async function tryTestnet({ testnet, mnemonic, say, pause, patience_ms }: TestnetTrial): Promise<void> {
  listTestContract(testnet);
  const { network, asset, contract, nodes, genesis } = testnet;
  const folder = newFolder();
  const wallet = new Wallet(mnemonic);
  const names = {
    hot: 'pays, so give it the token and coins for fees',
    gas: 'pays for gas',
    deposit: 'is deposited to',
  };
  for (const [account, use] of Object.entries(names)) {
    if (network === 'SOL' && account === 'gas') continue;
    say(`${wallet.addressOf(network, { account: account as keyof typeof names, index: 0 })} ${use}`);
  }
  await using started = new AsyncDisposableStack();
  const bureau = await PlayedBureau.start();
  started.defer(() => bureau.stop());
  const log = new SignatureLog(join(folder, 'signatures.sqlite'));
  started.defer(() => log.close());
  const settings = { nodes, genesis, sweepFrom: { [asset]: AMOUNT }, ...(network === 'SOL' && { nonceAccounts: 2 }) };
  const networks = network === 'SOL' ? { solana: { SOL: settings } } : { tron: { TRC20: settings } };
  const events: { readonly event: string; readonly [field: string]: unknown }[] = [];
  const service = await startService({
    config: Config.parse({
      ...writeConfig(folder, bureau.url, networks),
      depositKeys: deriveDepositKeys(readSeed(mnemonic)),
    }),
    secrets: new Map([[KEY_ID, SECRET]]),
    bureauTokens: { depositToken: DEPOSIT_TOKEN },
    askSigner: async (request) => answerSigner({ wallet, policy, log, now: Date.now }, request),
    log: (event, fields) => {
      events.push({ event, ...fields });
      if (event.endsWith('_failed') || event === 'spend_held') say(`${event} ${JSON.stringify(fields)}`);
    },
    now: Date.now,
  });
  started.defer(() => service.stop());
  const deadline_ms = Date.now() + patience_ms;
  const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
    while (!(await holds())) {
      if (Date.now() > deadline_ms) throw new Error(`waited in vain: ${what}`);
      await pause();
    }
    say(`ok: ${what}`);
  };

  const withdrawalId = randomUUID();
  const address = wallet.addressOf(network, { account: 'deposit', index: 0 });
  const order = { withdrawalId, asset, network, contractAddress: contract, address, amount: AMOUNT };
  const path = `/v1/payouts/${withdrawalId}`;
  let txHash = '';
  await until('the payout is sent', async () => {
    const { body } = await askCustodian(service.port, 'PUT', path, order);
    txHash = body.txHash ?? txHash;
    return body.status === 'sent';
  });
  say(`its transaction is ${txHash}`);
  await until('its deposit is credited', () =>
    bureau.reports.some(
      (report) =>
        report.txHash === txHash &&
        report.amount === AMOUNT &&
        bureau.statusOf(network, txHash, report.outputIndex) === 'COMPLETED',
    ),
  );
  await until('the deposit is swept', () =>
    events.some(({ purpose, state }) => purpose === 'sweep' && state === 'FINAL_PAID'),
  );
}
