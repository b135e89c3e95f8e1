import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { describe, expect, it } from 'vitest';
import { disableEndpoint } from '../../src/events/webhooks/endpoint.ts';
import { findLedger } from '../../src/db/database.ts';
import { createKey, json, openAccount } from '../support/exchange.ts';
import { accepted, signIn } from '../support/holder/holders.ts';
import { env, holderEntrypoint } from '../support/runtime/test-env.ts';
import { databaseOfId, runFor } from '../support/db/open-in-ledger.ts';

interface Told {
  readonly type: string;
  readonly data: { readonly security?: object };
}

describe('what happens to an account’s security', () => {
  it('is told to who listens, as an event of its own, in order', async () => {
    const accountId = await openAccount();
    const bot = await createKey(accountId, { scopes: ['read', 'webhooks'] });
    await bot.get('/api/v1/events');
    const { token } = await signIn(accountId, 'look');
    const { token: acting } = await signIn(accountId, 'act', undefined, 'Firefox on Linux');
    await accepted(holderEntrypoint.note(token, 'add_passkey', { name: 'laptop' }));
    await accepted(holderEntrypoint.note(token, 'remove_passkey', { name: 'laptop' }));
    await accepted(holderEntrypoint.note(token, 'rename_passkey', { name: 'laptop' }));
    await accepted(holderEntrypoint.drawRecoveryCodes(acting, undefined));
    await accepted(holderEntrypoint.recover(token, { kind: 'recovery_code' }));
    // The recovery has revoked the bot's key, which is an event of another kind.
    const { api } = await signIn(accountId);
    const page = await json<{ events: Told[] }>(await api.get('/api/v1/events'));
    const events = page.events.filter(({ type }) => type.startsWith('security.'));
    const nothing = { accountId, passkey: null, browser: null, proof: null };
    expect(events.map(({ type, data }) => [type, data.security])).toEqual([
      ['security.signed_in', { ...nothing, browser: 'Firefox on Linux' }],
      ['security.passkey_added', { ...nothing, passkey: 'laptop' }],
      ['security.passkey_removed', { ...nothing, passkey: 'laptop' }],
      ['security.recovery_codes_drawn', nothing],
      ['security.recovered', { ...nothing, proof: 'recovery_code' }],
    ]);
  });

  it('writes no event for an account that does not listen', async () => {
    const accountId = await openAccount();
    const { token } = await signIn(accountId, 'look');
    await accepted(holderEntrypoint.note(token, 'add_passkey', { name: 'laptop' }));
    const { count } = (await databaseOfId(accountId)
      .prepare('SELECT count(*) AS count FROM events WHERE account_id = ?')
      .bind(accountId)
      .first<{ count: number }>()) ?? { count: -1 };
    expect(count).toBe(0);
  });
});

describe('an endpoint that the exchange switches off', () => {
  it('is told to the holder and is in the audit, once; one that the holder switches off is not', async () => {
    const accountId = await openAccount();
    const { api, token } = await signIn(accountId);
    const database = findLedger(env, accountId);
    if (!database) throw new Error('the account has no ledger');
    const { last } = (await accepted(holderEntrypoint.listNotices(ledgerNumberOf(accountId), null))) ?? { last: 0 };
    const make = async (path: string) => {
      const made = await api.post('/api/v1/webhook-endpoints', { url: `https://hooks.bureau-tests.com/${path}` });
      return (await json<{ webhookEndpoint: { id: string } }>(made)).webhookEndpoint.id;
    };
    const [gone, kept] = [await make('gone'), await make('kept')];
    await disableEndpoint(database, accountId, gone, 'gone');
    await disableEndpoint(database, accountId, gone, 'failing');
    await runFor(kept, `UPDATE webhook_endpoints SET status = 'disabled' WHERE id = ?`, kept);
    const { notices } = (await accepted(holderEntrypoint.listNotices(ledgerNumberOf(accountId), last))) ?? {
      notices: [],
    };
    expect(notices.filter((notice) => notice.accountId === accountId)).toEqual([
      { accountId, action: 'disable_endpoint', ts_ms: expect.any(Number) as number },
    ]);
    const log = await accepted(holderEntrypoint.listSecurityLog(token, null));
    expect(log[0]).toMatchObject({ action: 'disable_endpoint', by: 'exchange' });
    const row = databaseOfId(accountId).prepare(
      `SELECT detail FROM audit WHERE action = 'disable_endpoint' AND target = ?`,
    );
    const detail = await row.bind(accountId).first<string>('detail');
    // Without the path, which may hold a secret of the receiver.
    expect(JSON.parse(detail ?? '')).toEqual({ host: 'hooks.bureau-tests.com', reason: 'gone' });
  });
});
