import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startFaultyNode } from '../support/faulty-node.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { runCustodian, until, wallet } from '../support/run-custodian.ts';
import { startLitecoind } from '../support/start-litecoind.ts';

/**
 * Bitcoin's and Dogecoin's rules on a Litecoin node: their scripts are the same, so this runs replacement, children,
 * legacy inputs and blocks that are read id by id. It does not run Bitcoin Core or Dogecoin Core.
 */
const cases = [
  { network: 'BTC', address: 'bc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hngm9dm', options: ['-mempoolreplacement=1'] },
  { network: 'DOGE', address: 'DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyD', options: [] },
] as const;

test.each(cases)(
  'by the rules of $network a stuck payout is replaced, or a child pays for it, and it arrives once',
  async ({ network, address, options }) => {
    const [node, bureau] = [await startLitecoind(options), await PlayedBureau.start()];
    await node.send(wallet.bitcoinAddress(network, { account: 'hot', index: 0 }), '20');
    await node.mine(6);
    const market = await startFaultyNode(node.url);
    const common = { nodes: [market.url], interval_ms: 20, startHeight: 0, finalDepth: 6, bumpAfterBlocks: 2 };
    const feeRate = { usual: 200_000, min: 100_000, max: 5_000_000 };
    const custodian = await runCustodian(bureau.url, { bitcoin: { [network]: { ...common, feeRate } } });
    try {
      const withdrawalId = randomUUID();
      await custodian.pay({ withdrawalId, asset: network, network, contractAddress: null, address, amount: '1.5' });
      const stored = () => custodian.events.filter(({ event }) => event === 'version_stored').length;
      await until('broadcast', () => custodian.events.some(({ event }) => event === 'version_broadcast'));
      const first = (await custodian.look(withdrawalId)).body.txHash;
      // The miner is told to leave it lie.
      await node.call('prioritisetransaction', [first, 0, -100_000_000]);
      await node.mine(4);
      await until(
        'followed',
        async () => (await custodian.holdings()).networks[0]?.height === (await node.call('getblockcount')),
      );
      // Without a higher market a replacement would not help; a child pays what the market asks for.
      if (network === 'BTC') expect(stored()).toBe(1);
      market.fault = { invent: ({ method }) => (method === 'estimatesmartfee' ? { feerate: 0.004 } : undefined) };
      await node.mine(2);
      await until('another version or a child', () => stored() > 1);
      const isReplaced = network === 'BTC';
      const children = custodian.events.filter(({ purpose }) => purpose === 'child').length;
      expect(children > 0).toBe(!isReplaced);
      if (!isReplaced) await node.call('prioritisetransaction', [first, 0, 100_000_000]);
      const isSent = async () => (await custodian.look(withdrawalId)).body.status === 'sent';
      await until('sent', isSent, async () => void (await node.mine()));
      expect((await custodian.look(withdrawalId)).body.txHash === first).toBe(!isReplaced);
      expect(await node.received(address)).toBe('1.50000000');
    } finally {
      await custodian.stop();
      await market.stop();
      await node.stop();
      await bureau.stop();
    }
  },
  120_000,
);
