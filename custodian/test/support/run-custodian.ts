import { join } from 'node:path';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { DepositKeys, depositKeyPaths } from '../../../src/addresses/deposit-keys.ts';
import { Config } from '../../src/config.ts';
import { type Service, startService } from '../../src/service.ts';
import type { AskSigner } from '../../src/signer/connect.ts';
import type { Policy } from '../../src/signer/policy.ts';
import { SignatureLog } from '../../src/signer/signature-log.ts';
import { answerSigner } from '../../src/signer/signer.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { LITECOIN_REGTEST } from './start-litecoind.ts';
import { DEPOSIT_TOKEN, KEY_ID, SECRET, type CustodianReply, askCustodian } from './play-bureau.ts';
import { BUREAU_KEY, MNEMONIC, newFolder, policy as usualPolicy } from './signing.ts';

export const wallet = new Wallet(MNEMONIC);

/** The deposit keys of the public test mnemonic, as text. */
function depositKeysText(): Record<string, string> {
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(MNEMONIC));
  return Object.fromEntries(
    Object.entries(depositKeyPaths).map(([name, path]) => [name, root.derive(path).publicExtendedKey]),
  );
}

export interface NetworkHoldings {
  readonly network: string;
  readonly height: number;
  readonly blockHash: string;
  readonly at: string | null;
  readonly halted: string | null;
  readonly assets: readonly { readonly asset: string; readonly amount: string; readonly held: string }[];
}

type Holdings = { readonly networks: readonly NetworkHoldings[] };

/** A custodian in this process, with a signer beside it. */
export interface RunningCustodian {
  readonly service: Service;
  readonly events: { readonly event: string; readonly [field: string]: unknown }[];
  pay(payout: object): Promise<CustodianReply>;
  look(withdrawalId: string): Promise<CustodianReply>;
  holdings(): Promise<Holdings>;
  stop(): Promise<void>;
}

/** The configuration of a custodian of the tests, as its file has it. Bitcoin-like chains are private ones. */
export function writeConfig(
  folder: string,
  bureauUrl: string,
  { bitcoin, solana, ...others }: { readonly [Family in 'bitcoin' | 'evm' | 'solana' | 'tron']?: object },
): object {
  const onPrivate = Object.entries(bitcoin ?? {}).map(([network, settings]) => [
    network,
    { genesis: LITECOIN_REGTEST, ...(settings as object) },
  ]);
  // Each entry takes the signer some milliseconds.
  const pooled = Object.entries(solana ?? {}).map(([network, settings]) => [
    network,
    { pooledAhead: 3, ...(settings as object) },
  ]);
  return {
    port: 0,
    database: join(folder, 'custodian.sqlite'),
    signerSocket: join(folder, 'signer.sock'),
    bureauUrl,
    bureauKeys: [BUREAU_KEY],
    depositKeys: depositKeysText(),
    watchedAhead: 5,
    ...others,
    bitcoin: Object.fromEntries(onPrivate) as object,
    solana: Object.fromEntries(pooled) as object,
  };
}

/**
 * Starts a custodian. The same folder again is the same custodian after a restart. `between` wraps the requests to the
 * signer, so that a test can lose requests and answers.
 */
export async function runCustodian(
  bureauUrl: string,
  networks: object,
  folder = newFolder(),
  policy: Policy = usualPolicy,
  between: (ask: AskSigner) => AskSigner = (ask) => ask,
  restoredAt_ms?: number,
  now: () => number = Date.now,
): Promise<RunningCustodian> {
  const log = new SignatureLog(join(folder, 'signatures.sqlite'));
  const events: RunningCustodian['events'] = [];
  const settings = Config.parse(writeConfig(folder, bureauUrl, networks));
  const service = await startService({
    config: { ...settings, depositKeys: DepositKeys.parse(depositKeysText()) },
    secrets: new Map([[KEY_ID, SECRET]]),
    bureauTokens: { depositToken: DEPOSIT_TOKEN },
    askSigner: between(async (request) => answerSigner({ wallet, policy, log, now }, request)),
    log: (event, fields) => {
      events.push({ event, ...fields });
      if (process.env['CUSTODIAN_LOG']) console.log(event, fields);
    },
    now,
    restoredAt_ms,
  });
  const { port } = service;
  return {
    service,
    events,
    pay: (payout) =>
      askCustodian(port, 'PUT', `/v1/payouts/${(payout as { withdrawalId: string }).withdrawalId}`, payout),
    look: (withdrawalId) => askCustodian(port, 'GET', `/v1/payouts/${withdrawalId}`),
    holdings: async () => (await askCustodian(port, 'GET', '/v1/holdings')).body as unknown as Holdings,
    stop: async () => {
      await service.stop();
      log.close();
    },
  };
}

/**
 * Waits until a condition is true, and runs `meanwhile` between checks. After 20 s fails with the name of the
 * condition.
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await holds()) return;
    await meanwhile();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain: ${what}`);
}
