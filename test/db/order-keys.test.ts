import { describe, it } from 'vitest';
import { lowestRecordId } from '../../src/db/record-id.ts';
import { NOON_MS, expectRefused, keyOf, makeKey, openFunded, order, sql } from '../support/db/raw-ledger.ts';

const idAt = (time_ms: number) => `${lowestRecordId(time_ms)}-7000-8000-${crypto.randomUUID().slice(-12)}`;

const expire = (keyId: string, time_ms: number | null) =>
  sql(`UPDATE api_keys SET expires_at = ${time_ms} WHERE id = ?`, keyId).run();

describe('the key that an order names', () => {
  it('exists and belongs to the order’s account', async () => {
    const [account, other] = [await openFunded(), await openFunded()];
    await expectRefused('guard: key_revoked', order(account, { keyId: 'nobody’s' }));
    await expectRefused('guard: key_revoked', order(account, { keyId: keyOf(other) }));
    await order(account).run();
  });

  it('was not revoked', async () => {
    const account = await openFunded();
    await makeKey(account, `second key of ${account}`).run();
    await sql('UPDATE api_keys SET revoked_at = 1 WHERE id = ?', keyOf(account)).run();
    await expectRefused('guard: key_revoked', order(account));
    await order(account, { keyId: `second key of ${account}` }).run();
  });

  it.each([NOON_MS, 65_536 * 7, 65_536 * 7 - 1, 2 ** 47])(
    'had not expired when the order came, to the millisecond: %i',
    async (time_ms) => {
      const account = await openFunded();
      await expire(keyOf(account), time_ms);
      await expectRefused(`guard: key_expired ${time_ms}`, order(account, { id: idAt(time_ms) }));
      await expectRefused(`guard: key_expired ${time_ms}`, order(account, { id: idAt(time_ms + 86_400_000) }));
      await order(account, { id: idAt(time_ms - 1) }).run();
      await expire(keyOf(account), null);
      await order(account, { id: idAt(time_ms + 1) }).run();
    },
  );

  it('is refused before a frozen account, and before a halt', async () => {
    const account = await openFunded();
    await sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, account).run();
    await expectRefused('guard: account_frozen', order(account));
    await expire(keyOf(account), 1);
    await expectRefused('guard: key_expired 1', order(account));
  });
});
