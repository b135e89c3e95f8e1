import { expect, it } from 'vitest';
import { openConsole } from '../support/node/console/start-console.ts';
import type { Reply } from '../support/node/console/browser.ts';

/** What one of the staff tries alone, at an exchange that has two admins. */

const ADMIN = 'admin@bureau.example';
const OTHER_ADMIN = 'other@bureau.example';
const TREASURER = 'treasurer@bureau.example';
const SUPPORT = 'second@bureau.example';

const served = await openConsole();
await served.operate('PUT', `/staff/${TREASURER}`, { roles: ['treasury'] });
await served.operate('PATCH', '/settings', { approvalAbove: { USDT: '1000' }, tradingHalted: true });
await served.operate('PUT', `/staff/${OTHER_ADMIN}`, { roles: ['admin'] });

const as = (email: string, method: string, path: string, body: object): Promise<Reply> =>
  served.openBrowser().send(method, `/operator/v1${path}`, body, served.staffHeader(email));

/** An account that has a holder, who was invited and has opened the link. */
async function openHeldAccount(): Promise<string> {
  const accountId = await served.openAccount();
  const email = `${accountId}@customers.example`;
  await served.invite(accountId, email);
  await served.openBrowser().post('/session/link/spend', { secret: await served.linkTo(email) });
  return accountId;
}

it('the treasury credits no more alone by many small credits than by one large one, to whichever accounts', async () => {
  const accounts = [await served.openAccount(), await served.openAccount()];
  const credit = (amount: string, nth: number) =>
    as(TREASURER, 'POST', `/accounts/${accounts[nth % 2]}/credits`, { asset: 'USDT', amount, reference: `nth ${nth}` });
  expect((await credit('900', 0)).status).toBe(201);
  const others = await Promise.all(Array.from({ length: 10 }, (_, nth) => credit('60', nth + 1)));
  expect(others.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    201,
    ...Array.from({ length: 9 }, () => 202),
  ]);
  expect((await credit('40.000001', 20)).status).toBe(202);
  expect((await credit('40', 21)).status).toBe(201);
});

it('nobody credits alone what no amount was set for', async () => {
  const account = await served.openAccount();
  const credit = { asset: 'BTC', amount: '0.00000001', reference: 'a satoshi' };
  for (const email of [TREASURER, ADMIN]) {
    expect((await as(email, 'POST', `/accounts/${account}/credits`, credit)).status).toBe(202);
  }
});

it('support does not keep the others from agreeing, however many recoveries it proposes', async () => {
  const first = await openHeldAccount();
  const recover = (accountId: string, reason: string) =>
    as(SUPPORT, 'POST', `/accounts/${accountId}/recovery`, { reason });
  expect((await recover(first, 'lost everything')).status).toBe(202);
  const again = await Promise.all(['a', 'b', 'c'].map((reason) => recover(first, reason)));
  expect(again.map(({ status, body }) => [status, body.code])).toEqual(again.map(() => [409, 'invalid_state']));

  let proposed = 1;
  while (proposed < 200 && (await recover(await openHeldAccount(), 'lost too')).status === 202) proposed += 1;
  expect(proposed).toBe(20);
  expect((await as(ADMIN, 'PATCH', '/settings', { tradingHalted: false })).status).toBe(202);

  const suspended = await as(ADMIN, 'PUT', `/staff/${SUPPORT}`, { roles: [] });
  expect([suspended.status, suspended.body['member']]).toMatchObject([200, { roles: [] }]);
  expect((await recover(await openHeldAccount(), 'again')).body.code).toBe('insufficient_role');
});

it('an admin alone takes no admin’s role, and gives nobody one', async () => {
  const set = (email: string, roles: string[]) => as(ADMIN, 'PUT', `/staff/${email}`, { roles });
  for (const [email, roles] of [
    [OTHER_ADMIN, []],
    [ADMIN, []],
    [TREASURER, ['admin']],
    [TREASURER, ['treasury', 'support']],
    [SUPPORT, ['support']],
    ['new@bureau.example', ['auditor']],
    ['new@bureau.example', []],
  ] as const) {
    expect((await set(email, [...roles])).status, `${email} ${roles.join()}`).toBe(202);
  }
});
