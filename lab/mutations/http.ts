import type { Room } from './mutation.ts';

export const http: Room = {
  name: 'http',
  file: 'src/http/area.ts',
  tests: ['test/http/idempotency.test.ts'],
  mutations: [
    {
      name: 'the fingerprint leaves out the body',
      find: 'JSON.stringify([method, route, fields])',
      replace: 'JSON.stringify([method, route])',
    },
    {
      name: 'the fingerprint depends on the order of fields',
      find: '.toSorted(([one], [other]) => (one < other ? -1 : 1))',
      replace: '',
    },
    { name: 'an Idempotency-Key may have 256 characters', find: '/^[!-~]{1,255}$/', replace: '/^[!-~]{1,256}$/' },
    {
      name: 'the refusal of an unknown member does not name it',
      file: 'src/http/field-errors.ts',
      find: 'return issue.keys.map((key) => ({',
      replace: 'return issue.keys.slice(1).map((key) => ({',
      tests: ['test/api/unknown-members.test.ts'],
    },
    {
      name: 'a preflight is answered on paths that are not public',
      file: 'src/http/open-to-any-origin.ts',
      find: ' || !c.res.headers.has(ALLOW_ORIGIN)',
      replace: '',
      tests: ['test/http/open-to-any-origin.test.ts'],
    },
    {
      name: 'the signature of a cursor is not checked',
      file: 'src/http/cursor.ts',
      find: 'equalDigests(tag, await signPosition(position, scope, secret))',
      replace: '(await signPosition(position, scope, secret)) !== undefined',
      tests: ['test/http/cursor.test.ts'],
    },
    {
      name: 'a cursor opens another account’s list',
      file: 'src/http/cursor.ts',
      find: '[scope.route, scope.accountId, position]',
      replace: '[scope.route, position]',
      tests: ['test/http/cursor.test.ts'],
    },
  ],
};
