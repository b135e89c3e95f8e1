import { describe, expect, it } from 'vitest';
import { type Network, networks } from '../../src/money/networks.ts';
import { readLookupAnswer, readSubmitAnswer } from '../../src/custody/read-answer.ts';

const HEX = '90'.repeat(32);
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

const sent = { kind: 'sent', txHash: HEX };
const accepted = { kind: 'accepted' };
const held = { kind: 'held', reason: 'hot_wallet_low' };
const refused = { kind: 'refused', reason: 'sanctioned' };
const neverSeen = { kind: 'never_seen' };
const unknown = { kind: 'unknown' };

const sentBody = { status: 'sent', txHash: HEX };
const heldBody = { status: 'held', reason: 'hot_wallet_low' };
const refusedBody = { status: 'refused', reason: 'sanctioned' };

const write = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));
const submit = (status: number, body: unknown, network: Network = 'TRC20') =>
  readSubmitAnswer(status, write(body), network);
const lookUp = (status: number, body: unknown, network: Network = 'TRC20') =>
  readLookupAnswer(status, write(body), network);

describe('the answer to a submission', () => {
  it.each([
    [200, sentBody, sent],
    [201, sentBody, sent],
    [201, { ...sentBody, fee: '1', confirmations: 0 }, sent],
    [200, { status: 'accepted' }, accepted],
    [201, { status: 'accepted' }, accepted],
    [201, { status: 'accepted', txHash: HEX }, accepted],
    [200, heldBody, held],
    [201, heldBody, held],
    [409, heldBody, held],
    [200, refusedBody, refused],
    [422, refusedBody, refused],
    [409, sentBody, sent],
    [409, { status: 'accepted' }, accepted],
    [409, refusedBody, refused],
    [409, {}, accepted],
    [409, '', accepted],
    [409, { error: 'duplicate' }, accepted],
  ])('%i %j is read as %j', (status, body, state) => {
    expect(submit(status, body)).toEqual(state);
  });

  it.each([
    ['a success without a body', 200, ''],
    ['a success that tells no status', 201, {}],
    ['a success that was never seen', 200, { status: 'never_seen' }],
    ['a status that the contract does not know', 200, { status: 'SENT', txHash: HEX }],
    ['sent without a hash', 201, { status: 'sent' }],
    ['sent with a hash that is null', 201, { status: 'sent', txHash: null }],
    ['sent with a hash that is a number', 201, { status: 'sent', txHash: 7 }],
    ['sent with an empty hash', 201, { status: 'sent', txHash: '' }],
    ['a refusal without a reason', 422, { status: 'refused' }],
    ['a refusal with an empty reason', 422, { status: 'refused', reason: '' }],
    ['a refusal with a reason of 501 characters', 422, { status: 'refused', reason: 'x'.repeat(501) }],
    ['a refusal with a reason that is no text', 422, { status: 'refused', reason: { code: 1 } }],
    ['a 422 of a framework that validates', 422, { detail: [{ loc: ['body', 'amount'], msg: 'field required' }] }],
    ['a 422 without a body', 422, ''],
    ['a 422 that says sent', 422, sentBody],
    ['a 422 that says accepted', 422, { status: 'accepted' }],
    ['a 422 that says held', 422, heldBody],
    ['held without a reason', 200, { status: 'held' }],
    ['a duplicate with a status of no known kind', 409, { status: 'conflict' }],
    ['a duplicate that was never seen', 409, { status: 'never_seen' }],
    ['a duplicate sent without a hash', 409, { status: 'sent' }],
    ['a duplicate that is no JSON', 409, '<html>Conflict</html>'],
    ['a duplicate that is a list', 409, []],
    ['a duplicate that is null', 409, 'null'],
    ['a list', 200, [sentBody]],
    ['null', 200, 'null'],
    ['a web page', 200, '<!DOCTYPE html>'],
    ['truncated JSON', 200, JSON.stringify(sentBody).slice(0, -1)],
    ['a refusal in a 400', 400, refusedBody],
    ['a refusal in a 403', 403, refusedBody],
    ['a refusal in a 500', 500, refusedBody],
    ['a payment in a 500', 500, sentBody],
    ['a payment in a 202', 202, sentBody],
    ['a 204', 204, ''],
    ['a redirect', 302, refusedBody],
    ['a wrong signature', 401, { error: 'wrong signature' }],
    ['a 404', 404, { status: 'never_seen' }],
    ['a 429', 429, {}],
    ['a 502', 502, '<html>Bad gateway</html>'],
  ])('is unknown for %s', (_name, status, body) => {
    expect(submit(status, body)).toEqual(unknown);
  });
});

describe('the answer to a look-up', () => {
  it.each([
    [200, sentBody, sent],
    [201, sentBody, sent],
    [200, { status: 'accepted' }, accepted],
    [200, heldBody, held],
    [200, refusedBody, refused],
    [404, { status: 'never_seen' }, neverSeen],
  ])('%i %j is read as %j', (status, body, state) => {
    expect(lookUp(status, body)).toEqual(state);
  });

  it.each([
    ['a bare 404, as a gateway gives for a wrong address', 404, ''],
    ['a 404 in JSON, as a framework gives for a wrong address', 404, { message: 'Not Found' }],
    ['a 404 that is a web page', 404, '<html>Not Found</html>'],
    ['a 404 that says refused', 404, refusedBody],
    ['a 404 that says sent', 404, sentBody],
    ['a 404 that says held', 404, heldBody],
    ['never seen in a 200', 200, { status: 'never_seen' }],
    ['never seen in a 500', 500, { status: 'never_seen' }],
    ['a refusal in a 422', 422, refusedBody],
    ['a duplicate', 409, {}],
    ['a 409 without a body', 409, ''],
    ['a success without a body', 200, ''],
    ['a 401', 401, { error: 'unknown key' }],
    ['a 410', 410, { status: 'never_seen' }],
    ['a 503', 503, sentBody],
  ])('is unknown for %s', (_name, status, body) => {
    expect(lookUp(status, body)).toEqual(unknown);
  });
});

describe('the hash of a payment', () => {
  const bare: readonly Network[] = ['BTC', 'LTC', 'DOGE', 'TRC20'];
  const hashOf = (network: Network) => (network === 'SOL' ? SIGNATURE : bare.includes(network) ? HEX : `0x${HEX}`);

  it.each(networks)('is accepted on %s in that network’s form, and not in another network’s', (network) => {
    for (const other of networks) {
      const txHash = hashOf(other);
      const state = txHash === hashOf(network) ? { kind: 'sent', txHash } : unknown;
      expect(submit(201, { status: 'sent', txHash }, network)).toEqual(state);
      expect(lookUp(200, { status: 'sent', txHash }, network)).toEqual(state);
    }
  });

  it('is the same hash, whichever case the custodian writes it in', () => {
    expect(submit(201, { status: 'sent', txHash: HEX.toUpperCase() })).toEqual(sent);
  });

  it.each([HEX.slice(1), `${HEX}0`, ` ${HEX}`, `${HEX}\n`, HEX.replace('9', 'g')])('is never %j', (txHash) => {
    expect(submit(201, { status: 'sent', txHash })).toEqual(unknown);
  });
});
