// @runtime outside
import { ed25519 } from '@noble/curves/ed25519.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { config } from '../../src/env.ts';
import { networks } from '../../src/money/networks.ts';
import { chooseCustody } from '../../src/providers.ts';
import type { Payout } from '../../src/custody/custody.ts';
import { createHttpCustody } from '../../src/custody/http.ts';
import type { CustodianAnswer, CustodianProgramme } from '../support/node/custody/custodian-state.ts';
import { drawPayout } from '../support/withdrawals/payouts.ts';
import { env } from '../support/runtime/test-env.ts';
import { waitFor } from '../support/wait-for.ts';
import { custodian } from '../support/withdrawals/custodian.ts';

const custody = chooseCustody(config);
const settings = { url: config.CUSTODY_URL, keyId: config.CUSTODY_KEY_ID, secret: config.CUSTODY_SECRET };

const sent = { kind: 'sent', txHash: expect.any(String) };
const unknown = { kind: 'unknown' };

/** How often the custodian paid a withdrawal, and the state of its payout. */
async function findPayout({ withdrawalId }: Payout) {
  const found = (await custodian.listPayouts()).filter((one) => one.payout.withdrawalId === withdrawalId);
  expect(found.length).toBeLessThanOrEqual(1);
  return found[0];
}

let payout: Payout;

beforeEach(async () => {
  payout = drawPayout();
  await custodian.reset();
});
describe('a payout over signed HTTP', () => {
  it.each(networks)('is paid on %s as requested, and found by its withdrawal’s id', async (network) => {
    payout = drawPayout(network);
    const state = await custody.submit(payout);
    expect(state).toEqual(sent);
    expect(await findPayout(payout)).toMatchObject({ payout, payments: 1, txHash: 'txHash' in state && state.txHash });
    expect(await custody.lookup(payout)).toEqual(state);
  });

  it('is reported as never seen when the custodian does not know it, and looking it up pays nothing', async () => {
    expect(await custody.lookup(payout)).toEqual({ kind: 'never_seen' });
    expect(await custodian.listPayouts()).toEqual([]);
  });

  it('sends only the payout’s own fields to the custodian', async () => {
    expect(await custody.submit({ ...payout, accountId: 'private' } as Payout)).toEqual(sent);
    expect((await findPayout(payout))?.payout).toEqual(payout);
  });
});

describe('a custodian that fails', () => {
  const faults: CustodianAnswer[] = ['error', 'reset', 'html', 'truncated', 'huge', 'redirect'];

  it.each(faults)('with %s leaves a submission unknown, whether it paid or not', async (answer) => {
    for (const act of ['pay', 'nothing'] as const) {
      payout = drawPayout();
      await custodian.program({ withdrawalId: payout.withdrawalId, method: 'PUT', act, answer });
      expect(await custody.submit(payout)).toEqual(unknown);
      expect(await custody.lookup(payout)).toEqual(act === 'pay' ? sent : { kind: 'never_seen' });
      expect(await custody.submit(payout)).toEqual(sent);
      expect(await findPayout(payout)).toMatchObject({ payments: 1 });
    }
  });

  it.each(faults)('with %s leaves a look-up unknown', async (answer) => {
    await custody.submit(payout);
    await custodian.program({ method: 'GET', answer });
    expect(await custody.lookup(payout)).toEqual(unknown);
    expect(await custody.lookup(payout)).toEqual(sent);
  });

  it('with too large a body leaves the submission unknown, at a status that is also known without a body', async () => {
    await custodian.program({ answer: { status: 409, body: '{}'.padEnd(100_000, ' ') } });
    expect(await custody.submit(payout)).toEqual(unknown);
  });

  it.each([
    ['it cannot be reached', 'http://127.0.0.1:1'],
    ['its URL is invalid', 'nowhere'],
  ])('because %s leaves submission and look-up unknown, and does not throw', async (_name, url) => {
    const nowhere = createHttpCustody({ ...settings, url });
    expect([await nowhere.submit(payout), await nowhere.lookup(payout)]).toEqual([unknown, unknown]);
  });

  it('with 404 at a wrong path is unknown, not a custodian that never saw the payout', async () => {
    const elsewhere = createHttpCustody({ ...settings, url: `${env.CUSTODIAN_SERVER}/elsewhere/` });
    expect(await elsewhere.lookup(drawPayout())).toEqual(unknown);
    expect(await custodian.listRejections()).toEqual([]);
  });

  it('is logged with the withdrawal’s id, without key, address or amount', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    payout = drawPayout('TRC20', { address: 'TSecretAddress', amount: '123.456' });
    await custodian.program({ answer: 'error' });
    await custody.submit(payout);
    const [line] = log.mock.calls[0] as [string];
    expect(JSON.parse(line)).toEqual({
      event: 'custody_unknown',
      withdrawalId: payout.withdrawalId,
      method: 'PUT',
      status: '500',
    });
  });
});

describe('a custodian that does not answer', () => {
  it('leaves submission and look-up unknown when the wait ends, whatever it did', async () => {
    const programmes: [CustodianProgramme, number][] = [
      [{ act: 'pay', answer: 'hang' }, 1],
      [{ act: 'nothing', answer: 'hang' }, 0],
      [{ act: 'pay', answer: 'stall' }, 1],
    ];
    await Promise.all(
      programmes.map(async ([programme, payments]) => {
        const own = drawPayout();
        await custodian.program({ ...programme, withdrawalId: own.withdrawalId, times: 2 });
        expect(await Promise.all([custody.submit(own), custody.lookup(own)])).toEqual([unknown, unknown]);
        expect((await findPayout(own))?.payments ?? 0).toBe(payments);
        expect(await custody.submit(own)).toEqual(sent);
        expect(await findPayout(own)).toMatchObject({ payments: 1 });
      }),
    );
  });

  it('and pays late pays once', async () => {
    await custodian.program({ method: 'PUT', afterLookup: true });
    const late = custody.submit(payout);
    await waitFor(async () => expect((await custodian.countRequests(payout.withdrawalId)).submissions).toBe(1));
    expect(await custody.lookup(payout)).toEqual({ kind: 'never_seen' });
    expect(await Promise.all([late, custody.submit(payout)])).toEqual([sent, sent]);
    expect(await findPayout(payout)).toMatchObject({ payments: 1 });
  });
});

describe('the signature', () => {
  it.each([
    ['another secret', { secret: 'x'.repeat(40) }, 'wrong signature'],
    ['a key that the custodian does not know', { keyId: 'stranger' }, 'unknown key'],
  ])('made with %s pays nothing, and leaves the payout unknown', async (_name, change, rejection) => {
    const stranger = createHttpCustody({ ...settings, ...change });
    expect(await stranger.submit(drawPayout())).toEqual(unknown);
    expect(await stranger.lookup(drawPayout())).toEqual(unknown);
    expect(await custodian.listRejections()).toEqual([rejection, rejection]);
    expect(await custodian.listPayouts()).toEqual([]);
  });

  it.each([-310, 310])('is refused by the custodian when the clock is %i seconds off', async (offset_s) => {
    const now_ms = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(now_ms + offset_s * 1_000);
    expect(await custody.submit(drawPayout())).toEqual(unknown);
    expect(await custodian.listRejections()).toEqual(['outside the window']);
    expect(await custodian.listPayouts()).toEqual([]);
  });

  it('covers the body: a body that was changed on the way is not paid', async () => {
    const send = globalThis.fetch;
    const changed = JSON.stringify({ ...payout, amount: '9250.5' });
    vi.spyOn(globalThis, 'fetch').mockImplementationOnce((url, init) =>
      send(url, { ...(init as RequestInit), body: changed }),
    );
    expect(await custody.submit(payout)).toEqual(unknown);
    expect(await custodian.listRejections()).toEqual(['wrong signature']);
    expect(await custodian.listPayouts()).toEqual([]);
  });

  it('is valid for a custodian whose URL has a path', async () => {
    const prefixed = createHttpCustody({ ...settings, url: `${env.CUSTODIAN_SERVER}/bureau` });
    await prefixed.submit(drawPayout());
    expect(await custodian.listRejections()).toEqual([]);
  });
});

describe('a refusal, where the signer’s key is known', () => {
  const seed = new Uint8Array(32).fill(5);
  const signerKey = ed25519.getPublicKey(seed).toHex();
  const strict = createHttpCustody({ ...settings, signerKey });
  const sign = (text: string) => ed25519.sign(new TextEncoder().encode(text), seed).toHex();
  const answerWith = (proof?: object) => ({
    status: 200,
    body: JSON.stringify({ status: 'refused', reason: 'it was reverted', ...(proof && { proof }) }),
  });
  const held = { kind: 'held', reason: expect.stringMatching(/^refused without proof .*: it was reverted$/) };

  it('counts when the signer has signed that nothing was and nothing will be signed, and for that withdrawal alone', async () => {
    const other = drawPayout();
    const proof = { signed: false, signature: sign(`bureau-burnt-v1.${payout.withdrawalId}.false`) };
    await custodian.program({ answer: answerWith(proof), times: 3 });
    expect(await strict.submit(payout)).toEqual({ kind: 'refused', reason: 'it was reverted' });
    expect(await strict.lookup(payout)).toEqual({ kind: 'refused', reason: 'it was reverted' });
    expect(await strict.lookup(other)).toEqual(held);
  });

  it.each([
    ['has no proof', () => undefined],
    ['says that it had signed', (id: string) => ({ signed: true, signature: sign(`bureau-burnt-v1.${id}.true`) })],
    ['says what was not signed', (id: string) => ({ signed: false, signature: sign(`bureau-burnt-v1.${id}.true`) })],
    ['has another’s signature', () => ({ signed: false, signature: '0'.repeat(128) })],
  ])('is held for a person when it %s', async (_, proofOf) => {
    await custodian.program({ answer: answerWith(proofOf(payout.withdrawalId)) });
    expect(await strict.lookup(payout)).toEqual(held);
  });
});
