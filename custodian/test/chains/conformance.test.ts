import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { Loop } from '../../src/loop.ts';
import { KEY_ID, PlayedBureau, SECRET } from '../support/play-bureau.ts';
import { ProcessCustodian } from '../support/process-custodian.ts';
import { wallet } from '../support/run-custodian.ts';
import { BUREAU_SEED, newFolder } from '../support/signing.ts';
import { startAnvil } from '../support/start-anvil.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', '..', 'lab', 'try-custodian.ts');

test('this custodian, as two processes, keeps every promise of the contract that anybody’s custodian is held to', async () => {
  const [anvil, bureau] = [await startAnvil(), await PlayedBureau.start()];
  const networks = { evm: { ETH: { nodes: [anvil.url], interval_ms: 50, startHeight: 0, hasTraces: true } } };
  const custodian = await ProcessCustodian.prepare(bureau.url, networks);
  try {
    await anvil.setBalance(wallet.evmAddress({ account: 'hot', index: 0 }), 10n ** 18n);
    await anvil.mine();
    await custodian.startSigner();
    await custodian.start();
    const file = join(newFolder(), 'order.json');
    const address = '0x52908400098527886E0F7030069857D2E4169EE7';
    writeFileSync(
      file,
      JSON.stringify({ asset: 'ETH', network: 'ETH', contractAddress: null, address, amount: '0.01' }),
    );
    const words = ['--order', file, '--too-much', '5', '--node', anvil.url, '--minutes', '1', '--pause-ms', '100'];
    const suite = spawn(process.execPath, [SCRIPT, `http://127.0.0.1:${custodian.port}`, ...words], {
      env: {
        ...process.env,
        CUSTODY_KEY_ID: KEY_ID,
        CUSTODY_SECRET: SECRET,
        CUSTODY_SIGNING_KEY: BUREAU_SEED,
        CUSTODY_SIGNER_KEY: wallet.signerKey,
      },
    });
    const [said, errors, ended] = [text(suite.stdout), text(suite.stderr), once(suite, 'exit')];
    const mining = new Loop(
      () => anvil.mine(),
      100,
      () => undefined,
    );
    const [code] = (await ended) as [number | null];
    await mining.stop();
    const lines = (await said).trim().split('\n');
    expect([code, await errors, lines.filter((line) => !line.startsWith('ok '))]).toEqual([
      0,
      '',
      ['it keeps every promise that was tried'],
    ]);
    expect(lines).toHaveLength(10);
  } finally {
    await custodian.stop();
    await bureau.stop();
    await anvil.stop();
  }
}, 180_000);
