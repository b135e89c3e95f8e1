import type { Room } from './mutation.ts';

const tokenTest = 'test/keys/token.test.ts';
const addressTest = 'test/keys/ip-allowlist.test.ts';

export const keys: Room = {
  name: 'keys',
  file: 'src/keys/admission.ts',
  tests: ['test/keys/admission.test.ts'],
  mutations: [
    { name: 'a revoked key is admitted', find: 'record.revokedAt_ms !== null || ', replace: '' },
    {
      name: 'any token of the key’s id is admitted',
      find: ' || !equalDigests(record.tokenHash, admission.tokenHash)',
      replace: '',
    },
    {
      name: 'a key lives a millisecond longer than it says',
      find: 'record.expiresAt_ms <= now_ms',
      replace: 'record.expiresAt_ms < now_ms',
    },
    {
      name: 'the scope is not looked at in the lane',
      find: 'admission.scope !== null && !record.scopes.includes(admission.scope)',
      replace: 'false && admission.scope',
    },
    {
      name: 'the address is not looked at',
      find: 'record.ipAllowlist !== null && !isIpListed(admission.ip, record.ipAllowlist)',
      replace: 'false',
    },
    {
      name: 'a frozen account withdraws',
      find: "(admission.scope === 'trade' || admission.scope === 'withdraw')",
      replace: "admission.scope === 'trade'",
    },
    {
      name: 'the tag of a token is not checked',
      file: 'src/keys/token.ts',
      find: 'if (!equalDigests(await sign(signed, serverSecret), tag)) return invalid;',
      replace: '',
      tests: [tokenTest],
    },
    {
      name: 'a key of the sandbox opens production',
      file: 'src/keys/token.ts',
      find: '!signed.startsWith(`${prefix}_`)',
      replace: 'false',
      tests: [tokenTest],
    },
    {
      name: 'the newest secret is the last by its letters',
      file: 'src/keys/token.ts',
      find: 'String(Math.max(...Object.keys(secrets).map(Number)))',
      replace: "Object.keys(secrets).toSorted().at(-1) ?? ''",
      tests: [tokenTest],
    },
    {
      name: 'every key has every scope',
      file: 'src/keys/scope.ts',
      find: 'Scope.options.filter((scope) => written.includes(letters[scope]))',
      replace: '[...Scope.options]',
      tests: ['test/keys/scope.test.ts'],
    },
    {
      name: 'a range admits twice as many addresses',
      file: 'src/keys/ip-allowlist.ts',
      find: 'address.match(network, bits)',
      replace: 'address.match(network, Math.max(0, bits - 1))',
      tests: [addressTest],
    },
    {
      name: 'a customer with a /64 of IPv6 is many callers',
      file: 'src/keys/ip-allowlist.ts',
      find: 'const IPV6_CUSTOMER_BITS = 64;',
      replace: 'const IPV6_CUSTOMER_BITS = 128;',
      tests: [addressTest],
    },
    {
      name: 'the scope is not looked at at the edge',
      file: 'src/keys/authenticate.ts',
      find: 'if (scope !== null && !presented.value.scopes.includes(scope))',
      replace: 'if (scope !== null && (false as boolean))',
      tests: ['test/api/hot-paths.test.ts'],
    },
    {
      name: 'a POST without an Idempotency-Key is sent to its lane again',
      file: 'src/keys/execute-in-lane.ts',
      find: 'idempotencyKey === null ? 1 : MAX_CALLS_WITH_KEY',
      replace: 'MAX_CALLS_WITH_KEY',
      tests: ['test/lane/crashes.test.ts'],
    },
    {
      name: 'a replay does not say that it is one',
      file: 'src/keys/execute-in-lane.ts',
      find: "if (reply.replayed) c.header('X-Idempotency-Replay', 'true');",
      replace: '',
      tests: ['test/api/idempotency.test.ts'],
    },
  ],
};
