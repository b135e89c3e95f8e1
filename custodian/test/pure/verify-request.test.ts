import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { findRequestFault } from '../../src/contract/verify-request.ts';

const SECRET = 'the-secret-that-the-tests-share-with-the-custodian';
const SIGNED_AT_S = 1_795_241_228;
const secrets = new Map([['bureau', SECRET]]);

function signed(body = '') {
  const path = '/v1/holdings';
  const hash = createHash('sha256').update(body).digest('hex');
  const signature = createHmac('sha256', SECRET).update(`${SIGNED_AT_S}.GET.${path}.${hash}`).digest('hex');
  const headers = {
    'x-bureau-key-id': 'bureau',
    'x-bureau-timestamp': String(SIGNED_AT_S),
    'x-bureau-signature': `v1=${signature}`,
  };
  return { method: 'GET', path, headers, body: Buffer.from(body) };
}

test('a request whose time differs by more than 300 s, in either direction, is refused', () => {
  for (const off_s of [-300, 0, 300]) expect(findRequestFault(signed(), secrets, SIGNED_AT_S + off_s)).toBeUndefined();
  for (const off_s of [-301, 301]) {
    expect(findRequestFault(signed(), secrets, SIGNED_AT_S + off_s)).toBe('outside the window');
  }
});

test('a request with another body, path or method than the signed one is refused, and so is one with another key', () => {
  const right = signed();
  expect(findRequestFault({ ...right, body: Buffer.from('{}') }, secrets, SIGNED_AT_S)).toBe('wrong signature');
  expect(findRequestFault({ ...right, path: '/v1/payouts' }, secrets, SIGNED_AT_S)).toBe('wrong signature');
  expect(findRequestFault({ ...right, method: 'PUT' }, secrets, SIGNED_AT_S)).toBe('wrong signature');
  expect(findRequestFault(right, new Map(), SIGNED_AT_S)).toBe('unknown key');
});
