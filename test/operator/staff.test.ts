// @runtime outside
import { sign } from 'hono/jwt';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { app } from '../../src/app.ts';
import { config } from '../../src/env.ts';
import { exampleOfProblem } from '../../src/http/document/problem-examples.ts';
import { AccessCertificates } from '../../src/operator/access-token.ts';
import { staffRoles } from '../../src/operator/roles.ts';
import {
  type ProblemBody,
  asOperator,
  json,
  openAccount,
  send,
  operate,
  expectCode,
  codeOf,
  asToken,
} from '../support/exchange.ts';
import {
  type AccessKey,
  asPerson,
  countFetches,
  employ,
  makeAccessKey,
  programAccess,
  showCertificates,
  signIn,
} from '../support/operator/access.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql } from '../support/db/sql.ts';

let key: AccessKey;
let stranger: AccessKey;
beforeAll(async () => {
  [key, stranger] = [await makeAccessKey('one'), await makeAccessKey('one')];
  await showCertificates(key);
});
beforeEach(async () => {
  for (const role of staffRoles) await employ(`${role}@bureau.test`, role);
});

const { DEPOSIT_TOKEN, AUDITOR_TOKEN } = env;

/** Who may use which operations, besides the operator's token and an admin. Every operation is in it. */
const allowed: readonly (readonly [roles: string, operations: string])[] = [
  [
    'auditor treasury support compliance',
    `listAccounts getAccount listTransactionsOfAccount listOrdersOfAccount listWithdrawalsOfAccount
     listDepositsOfAccount getApiKeyOfAnyAccount listAllowlist listOpenDeposits listDust listOpenWithdrawals
     getWithdrawalOfAccount getSettings getReconciliation getMetrics getHouse getFlows getProfit listHedges getVenues
     listAudit listOperatorEvents
     listWebhookEndpointsOfOperator getWebhookEndpointOfOperator listWebhookDeliveriesOfOperator search listStaff
     listProposals getProposal listPayoutClaims getReportedDeposit getShares`,
  ],
  [
    '',
    `createWebhookEndpointOfOperator changeWebhookEndpointOfOperator deleteWebhookEndpointOfOperator
     rotateWebhookSecretOfOperator testWebhookEndpointOfOperator resendEventOfOperator replayEventsOfOperator createApiKey
     drawTotp confirmTotp removeTotp approveAddress clearViolation acceptHistory setRoles exportList`,
  ],
  [
    'treasury',
    `claimPayout releasePayout creditAccount settleTrade createFunding settleHedge settleWithdrawal changeSettings changeShares
     runReconciliation`,
  ],
  ['support compliance', `changeAccount revokeApiKey removeApproval allowRecovery`],
  ['compliance', `creditDeposit keepDeposit approveWithdrawal rejectWithdrawal`],
  ['deposits auditor treasury support compliance', `getMe getOperatorOpenApi`],
  ['treasury support compliance', `approveProposal declineProposal noteAccount`],
  ['support', `openAccount inviteHolder`],
  ['deposits treasury', `lookAtWithdrawal getAddressRange`],
  ['deposits', `reportDeposit fillSolanaPool listSolanaPool`],
];

const rolesOf = new Map(allowed.flatMap(([roles, names]) => names.split(/\s+/).map((name) => [name, roles] as const)));

const operations = app.openAPIRegistry.definitions
  .flatMap((definition) => (definition.type === 'route' ? [definition.route] : []))
  .filter(({ path }) => path.startsWith('/operator/'))
  .map(({ operationId = '', method, path }) => ({ operationId, method: method.toUpperCase(), path }));

describe('each role and each route', () => {
  it('are all in the table', () => {
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual([...rolesOf.keys()].toSorted());
  });

  it.each(operations)('$operationId opens to those of the table, and to nobody else', async (operation) => {
    const path = operation.path
      .replace('{email}', 'ada@bureau.test')
      .replaceAll(/{\w+}/g, 'x')
      .slice('/operator/v1'.length);
    const { method, operationId } = operation;
    const answers: Record<string, Response> = {
      operator: await asOperator(method, path),
      deposits: await asToken(DEPOSIT_TOKEN, method, path),
      'auditor token': await asToken(AUDITOR_TOKEN, method, path),
      nobody: await asPerson(await signIn(key, 'nobody@bureau.test'), method, path),
    };
    for (const role of staffRoles) {
      answers[role] = await asPerson(await signIn(key, `${role}@bureau.test`), method, path);
    }
    const opened = ['operator', 'admin', ...(rolesOf.get(operationId) ?? '').split(' ')];
    for (const [caller, response] of Object.entries(answers)) {
      const isOpen = opened.includes(caller.replace(' token', ''));
      const code = response.ok ? 'ok' : (await json<ProblemBody>(response)).code;
      expect(code === 'insufficient_role' || code === 'invalid_operator_token', `${caller}: ${code}`).toBe(!isOpen);
    }
  });

  it('some changes need more than their route: support freezes and no more, the treasury sets caps and no more', async () => {
    const accountId = await openAccount();
    const patch = async (role: string, path: string, body: object) =>
      codeOf(await asPerson(await signIn(key, `${role}@bureau.test`), 'PATCH', path, body));
    const account = `/accounts/${accountId}`;
    expect(await patch('support', account, { status: 'frozen' })).toBe('200');
    expect(await patch('support', account, { status: 'active' })).toBe('403 insufficient_role');
    expect(await patch('compliance', account, { status: 'active' })).toBe('200');
    for (const role of ['support', 'compliance']) {
      const change = { status: 'frozen', dailyWithdrawalLimit: '1' };
      expect(await patch(role, account, change)).toBe('403 insufficient_role');
    }
    expect((await operate<{ account: { status: string } }>('GET', account)).account.status).toBe('active');
    expect(await patch('admin', account, { dailyWithdrawalLimit: '1' })).toBe('200');
    expect(await patch('treasury', '/settings', { exposure: { BTC: '10' }, reason: 'as agreed' })).toBe('200');
    for (const change of [
      { tradingHalted: false },
      { exposure: { BTC: '10' }, reviewThreshold: null },
      { spreadBps: 0 },
    ]) {
      expect(await patch('treasury', '/settings', change)).toBe('403 insufficient_role');
    }
  });
});

describe('a person who signed in', () => {
  it('is named in the audit of what they do, and a token by its name', async () => {
    const token = await signIn(key, 'Support@Bureau.TEST');
    const opened = await asPerson(token, 'POST', '/accounts', { label: 'named' });
    const { account } = await json<{ account: { id: string } }>(opened);
    await asOperator('PATCH', `/accounts/${account.id}`, { status: 'frozen' });
    const audit = async (query: string) =>
      (await operate<{ entries: Record<string, unknown>[] }>('GET', `/audit?${query}`)).entries;
    expect(await audit(`target=${account.id}`)).toMatchObject([
      { action: 'change_account', actor: 'operator', role: 'operator' },
      { action: 'open_account', actor: 'support@bureau.test', role: 'support' },
    ]);
    expect(await audit(`target=${account.id}&actor=support@bureau.test`)).toMatchObject([{ action: 'open_account' }]);
    expect((await audit('actor=support@bureau.test'))[0]).toMatchObject({ action: 'open_account', target: account.id });
    expect(await json(await asPerson(token, 'GET', '/me'))).toEqual({
      me: { actor: 'support@bureau.test', roles: ['support'] },
    });
  });

  it('may do what any of their roles may, and from the next request on nothing that was taken', async () => {
    const token = await signIn(key, 'ada@bureau.test');
    const open = async () => codeOf(await asPerson(token, 'POST', '/accounts', { label: 'x' }));
    expect(await open()).toBe('403 insufficient_role');
    await employ('ADA@bureau.test', 'auditor', 'support', 'support');
    expect(await open()).toBe('201');
    const { staff } = await operate<{ staff: { email: string; roles: string[] }[] }>('GET', '/staff');
    expect(staff.find(({ email }) => email === 'ada@bureau.test')?.roles).toEqual(['support', 'auditor']);
    await employ('ada@bureau.test');
    expect(await open()).toBe('403 insufficient_role');
    await expectCode(asPerson(token, 'GET', '/me'), '403 insufficient_role');
  });

  it('keeps the row and the e-mail, which the database itself holds', async () => {
    await employ('kept@bureau.test', 'auditor');
    for (const statement of [
      `DELETE FROM staff WHERE email = 'kept@bureau.test'`,
      `UPDATE staff SET email = 'other@bureau.test' WHERE email = 'kept@bureau.test'`,
      `UPDATE OR REPLACE staff SET email = 'auditor@bureau.test' WHERE email = 'kept@bureau.test'`,
    ]) {
      await expect(sql(statement).run(), statement).rejects.toThrow('guard: a person');
    }
  });

  it.each([
    ['no name', '/staff/nobody', { roles: [] }],
    ['an unknown role', '/staff/ada@bureau.test', { roles: ['root'] }],
    ['another member', '/staff/ada@bureau.test', { roles: [], admin: true }],
  ])('is not made with %s', async (_what, path, body) => {
    await expectCode(asOperator('PUT', path, body), '400 invalid_request');
  });

  it('changes something only from the console, without a body too; and reads from anywhere', async () => {
    const accountId = await openAccount();
    const token = await signIn(key, 'admin@bureau.test');
    const origins: Record<string, string>[] = [
      {},
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
      { Origin: `${config.CONSOLE_ORIGIN}.evil.test` },
      { Origin: `${config.CONSOLE_ORIGIN}/` },
      { Origin: config.CONSOLE_ORIGIN.toUpperCase() },
    ];
    for (const headers of origins) {
      const change = asPerson(token, 'PATCH', `/accounts/${accountId}`, { status: 'frozen' }, headers);
      const example = exampleOfProblem('invalid_origin', false) as ProblemBody;
      const { code, status, detail } = await json<ProblemBody>(await change);
      expect({ code, status, detail }, JSON.stringify(headers)).toEqual({
        code: example.code,
        status: example.status,
        detail: example.detail,
      });
      for (const [method, path] of [
        ['POST', `/accounts/${accountId}/totp`],
        ['DELETE', `/accounts/${accountId}/totp`],
        ['POST', '/reconciliation/run'],
      ] as const) {
        await expectCode(asPerson(token, method, path, undefined, headers), '403 invalid_origin');
      }
      await expectCode(asPerson(token, 'GET', '/me', undefined, headers), '200');
    }
    await expectCode(asPerson(token, 'POST', `/accounts/${accountId}/totp`), '201');
  });

  it('is nobody beside an Authorization header, which is a token’s', async () => {
    const token = await signIn(key, 'admin@bureau.test');
    const beside = (authorization: string) =>
      asPerson(token, 'GET', '/me', undefined, { Authorization: authorization, Origin: config.CONSOLE_ORIGIN });
    await expectCode(beside('Bearer wrong'), '401 invalid_operator_token');
    expect(await json(await beside(`Bearer ${AUDITOR_TOKEN}`))).toEqual({
      me: { actor: 'auditor', roles: ['auditor'] },
    });
  });
});

describe('a token of Access', () => {
  const email = 'admin@bureau.test';
  const hour_s = 3_600;
  const now_s = () => Math.floor(Date.now() / 1_000);
  const forgeries: readonly (readonly [string, () => Promise<string>])[] = [
    ['nothing of one', () => Promise.resolve('x')],
    ['three parts of nothing', () => Promise.resolve('a.b.c')],
    ['a token signed under another key of the same name', () => signIn(stranger, email)],
    ['one that expired', () => signIn(key, email, { exp: now_s() - 1 })],
    ['one that never expires', () => signIn(key, email, { exp: undefined })],
    ['one that is not valid yet', () => signIn(key, email, { nbf: now_s() + hour_s })],
    ['one for another application', () => signIn(key, email, { aud: ['another'] })],
    ['one for no application', () => signIn(key, email, { aud: undefined })],
    ['one of another team', () => signIn(key, email, { iss: 'https://other.cloudflareaccess.com' })],
    ['one of no team', () => signIn(key, email, { iss: undefined })],
    ['a service’s', () => signIn(key, email, { email: undefined, common_name: 'robot' })],
    ['one whose e-mail is none', () => signIn(key, email, { email: 'admin' })],
    [
      'one with its claims changed',
      async () => {
        const [head, , signature] = (await signIn(key, 'nobody@bureau.test')).split('.');
        const [, claims] = (await signIn(key, email)).split('.');
        return [head, claims, signature].join('.');
      },
    ],
    [
      'an unsigned one',
      async () => {
        const [, claims] = (await signIn(key, email)).split('.');
        return `${btoa(JSON.stringify({ alg: 'none', typ: 'JWT', kid: 'one' })).replaceAll('=', '')}.${claims}.`;
      },
    ],
    [
      'one signed with the public key as a secret',
      async () => {
        const claims = { aud: [config.ACCESS_AUDIENCE], email, exp: now_s() + hour_s, iss: config.ACCESS_ISSUER };
        const secret = { kty: 'oct', k: String(key.certificate['n']), alg: 'HS256', kid: 'one' } as JsonWebKey;
        return sign(claims, secret, 'HS256');
      },
    ],
  ];

  it.each(forgeries)('is refused: %s', async (_what, forge) => {
    await expectCode(asPerson(await forge(), 'GET', '/me'), '401 invalid_operator_token');
  });

  it('opens no route of clients', async () => {
    const response = await send('/api/v1/orders', { headers: { 'Cf-Access-Jwt-Assertion': await signIn(key, email) } });
    await expectCode(response, '401 missing_api_key');
  });
});

describe('the certificates of Access', () => {
  const minute_ms = 60_000;

  it('are fetched once in an hour, and at most once a minute for one that is unknown', async () => {
    await showCertificates(key);
    const certificates = new AccessCertificates(config.ACCESS_ISSUER);
    const before = await countFetches();
    const read = async (kid: string, minutes: number) => {
      const found = await certificates.read(kid, minutes * minute_ms);
      return [found?.map((certificate) => certificate.kid), (await countFetches()) - before];
    };
    expect(await read('one', 0)).toEqual([['one'], 1]);
    for (let asked = 0; asked < 5; asked += 1) expect(await read('one', 59)).toEqual([['one'], 1]);
    const rotated = await makeAccessKey('two');
    await showCertificates(key, rotated);
    expect(await read('two', 59)).toEqual([['one', 'two'], 2]);
    for (const kid of ['three', 'four', 'five']) expect(await read(kid, 59.9)).toEqual([['one', 'two'], 2]);
    expect(await read('three', 60)).toEqual([['one', 'two'], 3]);
    await showCertificates(rotated);
    expect(await read('two', 119)).toEqual([['one', 'two'], 3]);
    expect(await read('two', 120)).toEqual([['two'], 4]);
    await showCertificates(key);
  });

  it('stay in use while they cannot be fetched, and without any the request may be repeated', async () => {
    const certificates = new AccessCertificates(config.ACCESS_ISSUER);
    await showCertificates(key);
    expect(await certificates.read('one', 0)).toHaveLength(1);
    for (const [at, body] of ['<html>', '{"keys":[]}', '{}', `{"keys":[{"kid":"x"}]}`].entries()) {
      await programAccess({ status: at === 0 ? 500 : 200, body });
      expect(await certificates.read('one', (100 + 2 * at) * minute_ms)).toHaveLength(1);
      expect(await new AccessCertificates(config.ACCESS_ISSUER).read('one', 0)).toBeUndefined();
    }
    await showCertificates(key);
  });
});
