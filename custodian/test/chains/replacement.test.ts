import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { PlayedBureau } from '../support/play-bureau.ts';
import { runCustodian, until, wallet } from '../support/run-custodian.ts';
import { startLitecoind } from '../support/start-litecoind.ts';

/**
 * Bitcoin's and Dogecoin's rules on a Litecoin node that was told to replace: their scripts are the same, so this runs
 * replacement, legacy inputs and blocks that are read id by id. It does not run Bitcoin Core or Dogecoin Core.
 */
const RECIPIENTS = {
  BTC: 'bc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hngm9dm',
  DOGE: 'DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyD',
} as const;

test.each(['BTC', 'DOGE'] as const)(
  'by the rules of %s a stuck payout is replaced with the same inputs, and arrives once',
  async (network) => {
    const [node, bureau] = [await startLitecoind(['-mempoolreplacement=1']), await PlayedBureau.start()];
    await node.send(wallet.bitcoinAddress(network, { account: 'hot', index: 0 }), '20');
    await node.mine(6);
    const common = { nodes: [node.url], interval_ms: 20, startHeight: 0, finalDepth: 6, bumpAfterBlocks: 2 };
    const feeRate = { usual: 200_000, min: 100_000, max: 5_000_000 };
    const custodian = await runCustodian(bureau.url, { bitcoin: { [network]: { ...common, feeRate } } });
    try {
      const withdrawalId = randomUUID();
      const address = RECIPIENTS[network];
      await custodian.pay({ withdrawalId, asset: network, network, contractAddress: null, address, amount: '1.5' });
      const stored = () => custodian.events.filter(({ event }) => event === 'version_stored').length;
      await until('broadcast', () => custodian.events.some(({ event }) => event === 'version_broadcast'));
      const first = (await custodian.look(withdrawalId)).body.txHash;
      // The miner is told to leave it lie.
      await node.call('prioritisetransaction', [first, 0, -100_000_000]);
      await node.mine(2);
      await until('replaced', () => stored() > 1);
      const isSent = async () => (await custodian.look(withdrawalId)).body.status === 'sent';
      await until('sent', isSent, async () => void (await node.mine()));
      expect((await custodian.look(withdrawalId)).body.txHash).not.toBe(first);
      expect(await node.received(address)).toBe('1.50000000');
    } finally {
      await custodian.stop();
      await node.stop();
      await bureau.stop();
    }
  },
  120_000,
);
