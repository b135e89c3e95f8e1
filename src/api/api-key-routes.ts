import { admitRead } from '../access/admit-read.ts';
import { keyRevoked, readKeyRecord } from '../keys/record.ts';
import { OwnApiKey, showOwnApiKey } from '../keys/api-key.ts';
import { createKeyArea } from '../access/operations.ts';
import { accept } from '../http/answer.ts';

/** The route by which a key reads its own record. */
export const keys = createKeyArea('Account');

keys.add({
  operationId: 'getApiKey',
  path: '/api/v1/account/api-key',
  scope: null,
  summary: 'The API key of this request',
  description:
    'The scopes, IP addresses, expiry and rate limits of the key. It needs no scope. The token is never shown, since only a hash of it is stored.',
  answer: 'The key, without its token',
  body: { apiKey: OwnApiKey },
  handle: async (c) => {
    const { keyId } = c.get('key');
    const admitted = await admitRead(c, null, () => readKeyRecord(c.env, keyId));
    if (!admitted.ok) return admitted;
    const record = admitted.value.value;
    // The lane knows the key but the database does not: it was restored to a time before the key was made.
    return record ? accept({ apiKey: showOwnApiKey(record) }) : keyRevoked;
  },
});
