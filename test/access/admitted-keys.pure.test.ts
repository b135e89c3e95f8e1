import { beforeEach, describe, expect, it } from 'vitest';
import { AdmittedKeys } from '../../src/access/admitted-keys.ts';
import { refuse } from '../../src/http/answer.ts';

const NOW_MS = 1_800_000_000_000;

const limited = refuse('rate_limited', 'The read bucket of this key is empty.', { retryAfterSeconds: 17 });
const revoked = refuse('invalid_api_key', 'The API key is unknown or was revoked.');

const account = 'account';
const another = 'another';

let keys = new AdmittedKeys();

beforeEach(() => {
  keys = new AdmittedKeys();
});

describe('a key that its lane has admitted', () => {
  it('is known with its account, and no other is', () => {
    keys.noteAdmitted('key', account);
    expect(keys.find('key', NOW_MS)).toBe(account);
    expect(keys.find('other', NOW_MS)).toBeUndefined();
  });

  it.each([
    ['for as long as the refusal says', limited, 17_000],
    ['for five seconds after a refusal that names no time', revoked, 5_000],
  ])('is not known after a refusal %s', (_case, refusal, pause_ms) => {
    keys.noteAdmitted('key', account);
    keys.noteRefused('key', refusal, NOW_MS);
    expect(keys.find('key', NOW_MS + pause_ms - 1)).toBeUndefined();
    expect(keys.find('key', NOW_MS + pause_ms)).toBe(account);
  });

  it('stays unknown through the pause when its lane admits it meanwhile', () => {
    keys.noteAdmitted('key', account);
    keys.noteRefused('key', limited, NOW_MS);
    keys.noteAdmitted('key', account);
    expect(keys.find('key', NOW_MS + 16_999)).toBeUndefined();
  });

  it('has the account that its lane named last', () => {
    keys.noteAdmitted('key', account);
    keys.noteAdmitted('key', another);
    expect(keys.find('key', NOW_MS)).toBe(another);
  });
});

describe('the keys that an isolate knows', () => {
  it('do not include one that was only refused', () => {
    keys.noteRefused('key', limited, NOW_MS);
    expect(keys.find('key', NOW_MS + 60_000)).toBeUndefined();
  });

  it('are at most 1,000, the newest', () => {
    for (let index = 0; index <= 1_000; index += 1) keys.noteAdmitted(`key ${index}`, account);
    expect(keys.find('key 0', NOW_MS)).toBeUndefined();
    expect(keys.find('key 1', NOW_MS)).toBe(account);
    expect(keys.find('key 1000', NOW_MS)).toBe(account);
  });
});
