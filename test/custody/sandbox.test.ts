import { describe, expect, it } from 'vitest';
import { type Network, networks } from '../../src/money/networks.ts';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { drawPayout } from '../support/withdrawals/payouts.ts';

const bareHex = /^[0-9a-f]{64}$/;
const prefixedHex = /^0x[0-9a-f]{64}$/;

/** The form of a transaction's hash on each network, as block explorers look it up. */
const formats: Record<Network, RegExp> = {
  BTC: bareHex,
  LTC: bareHex,
  DOGE: bareHex,
  TRC20: bareHex,
  SOL: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/,
  ETH: prefixedHex,
  BEP20: prefixedHex,
  ARBITRUM: prefixedHex,
  OPTIMISM: prefixedHex,
  BASE: prefixedHex,
  AVAX: prefixedHex,
  POLYGON: prefixedHex,
};

describe('the custodian of the sandbox', () => {
  it.each(networks)('pays on %s at once, with a hash in that network’s form', async (network) => {
    const state = await sandboxCustody.submit(drawPayout(network));
    expect(state).toEqual({ kind: 'sent', txHash: expect.stringMatching(formats[network]) });
  });

  it('gives the same hash however often it is asked, also in look-ups', async () => {
    const payout = drawPayout();
    const states = [await sandboxCustody.submit(payout), await sandboxCustody.submit(payout)];
    expect(states[1]).toEqual(states[0]);
    expect(await sandboxCustody.lookup(payout)).toEqual(states[0]);
  });

  it('gives each withdrawal its own hash', async () => {
    const states = await Promise.all([1, 2, 3].map(() => sandboxCustody.submit(drawPayout('SOL'))));
    expect(new Set(states.map((state) => JSON.stringify(state))).size).toBe(3);
  });
});
