import type { Room } from './mutation.ts';

const tokenTest = 'test/keys/token.test.ts';
const addressTest = 'test/keys/ip-allowlist.pure.test.ts';

export const keys: Room = {
  name: 'keys',
  file: 'src/keys/record.ts',
  tests: ['test/keys/admission.test.ts'],
  mutations: [
    { name: 'a revoked key is admitted', find: 'record.revokedAt !== null || ', replace: '' },
    {
      name: 'a token with the key’s id and another secret is admitted',
      find: ' || !equalDigests(record.tokenHash, admission.tokenHash)',
      replace: '',
    },
    {
      name: 'a key is valid for a millisecond after it expired',
      find: 'record.expiresAt <= now_ms',
      replace: 'record.expiresAt < now_ms',
    },
    {
      name: 'the lane does not check the scope',
      find: 'admission.scope !== null && !record.scopes.includes(admission.scope)',
      replace: 'false && admission.scope',
    },
    {
      name: 'the IP address is not checked',
      find: 'record.ipAllowlist !== null && !isIpListed(admission.ip, record.ipAllowlist)',
      replace: 'false',
    },
    {
      name: 'the lane admits the trades and withdrawals of a frozen account',
      find: "record.accountStatus === 'frozen' ? accountFrozen : accept(record)",
      replace: 'accept(record)',
    },
    {
      name: 'a key that is not on record is not revoked',
      file: 'src/operator/account-routes.ts',
      find: "if (revocation.kind === 'not_of_account')",
      replace: "if (revocation.kind !== 'revoked')",
      tests: ['test/keys/revocation.test.ts'],
    },
    {
      name: 'a lane whose record has a higher number than the database’s keeps it',
      file: 'src/lane/tell-lanes.ts',
      find: '      if (held === null) return true;\n',
      replace: '      if (held === null || tell === 1) return true;\n',
      tests: ['test/keys/revocation.test.ts'],
    },
    {
      name: 'a change of an account’s status does not raise its number',
      file: 'src/accounts/account.ts',
      find: '...(values.status && { recordNumber: nextRecordNumber(actor.now_ms) })',
      replace: '...(values.status && {})',
      tests: ['test/keys/revocation.test.ts'],
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
      name: 'the newest secret is chosen by the letters of its name',
      file: 'src/keys/token.ts',
      find: 'String(Math.max(...Object.keys(secrets).map(Number)))',
      replace: "Object.keys(secrets).toSorted().at(-1) ?? ''",
      tests: [tokenTest],
    },
    {
      name: 'every key has every scope',
      file: 'src/keys/rights.ts',
      find: 'Scope.options.filter((scope) => written.includes(records[scope].letter))',
      replace: '[...Scope.options]',
      tests: ['test/keys/scope.pure.test.ts'],
    },
    {
      name: 'a range of the IP allowlist admits twice as many addresses',
      file: 'src/keys/record.ts',
      find: 'address.match(network, bits)',
      replace: 'address.match(network, Math.max(0, bits - 1))',
      tests: [addressTest],
    },
    {
      name: 'each address of a /64 of IPv6 is a caller of its own',
      file: 'src/access/anonymous-caller.ts',
      find: 'const CALLER_BITS = 64;',
      replace: 'const CALLER_BITS = 128;',
      tests: ['test/access/anonymous-caller.pure.test.ts'],
    },
    {
      name: 'each /64 of a /48 of IPv6 is a network of its own',
      file: 'src/access/anonymous-caller.ts',
      find: 'limit({ key: network })',
      replace: 'limit({ key: caller })',
      tests: ['test/api/anonymous-limits.node.test.ts'],
    },
    {
      name: 'refused calls of a caller use up the limit of its network',
      file: 'src/access/anonymous-caller.ts',
      find: '!own.success || network === undefined',
      replace: 'network === undefined',
      tests: ['test/api/anonymous-limits.node.test.ts'],
    },
    {
      name: 'the edge does not check the scope',
      file: 'src/access/authenticate.ts',
      find: 'if (scope !== null && !presented.value.scopes.includes(scope))',
      replace: 'if (scope !== null && (false as boolean))',
      tests: ['test/api/hot-paths.test.ts'],
    },
    {
      name: 'a POST without an Idempotency-Key is sent to its lane again',
      file: 'src/access/admit.ts',
      find: 'keyed.request ? MAX_CALLS_WITH_KEY : 1',
      replace: 'MAX_CALLS_WITH_KEY',
      tests: ['test/lane/crashes.test.ts'],
    },
    {
      name: 'a replay has no header that says so',
      file: 'src/access/admit.ts',
      find: "if (reply.replayed) c.header('X-Idempotency-Replay', 'true');",
      replace: '',
      tests: ['test/api/idempotency.test.ts'],
    },
  ],
};
