import { describe, expect, it } from 'vitest';
import { networks } from '../../src/money/networks.ts';
import { readSubmitAnswer } from '../../src/custody/read-answer.ts';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { drawPayout } from '../support/withdrawals/payouts.ts';

describe('the custodian of the sandbox', () => {
  it.each(networks)('pays on %s at once, with a hash in that network’s form', async (network) => {
    const state = await sandboxCustody.submit(drawPayout(network));
    // An answer of a custodian is read strictly.
    const txHash = 'txHash' in state ? state.txHash : '';
    expect(state).toEqual(readSubmitAnswer(201, JSON.stringify({ status: 'sent', txHash }), network));
    expect(state.kind).toBe('sent');
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
