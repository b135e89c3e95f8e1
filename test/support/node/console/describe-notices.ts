import { expect, it } from 'vitest';
import type { StartedConsole } from './start-console.ts';

/** What holders are told by mail. */
export function describeNotices(served: StartedConsole): void {
  const subjectsTo = (email: string) => served.mailsTo(email).map(({ subject }) => subject);

  it('mails a holder each change of the account once, also those that the exchange makes, and nobody else', async () => {
    await served.tell();
    const [holder, other] = [await served.openHolder(), await served.openHolder()];
    const before = { own: subjectsTo(holder.email).length, others: subjectsTo(other.email).length };
    await holder.browser.post('/account/keys', { label: 'bot', scopes: ['read'] });
    await served.operate('PATCH', `/accounts/${holder.accountId}`, { status: 'frozen' });
    // An account without a holder has nobody to tell.
    await served.operate('PATCH', `/accounts/${await served.openAccount()}`, { status: 'frozen' });
    await served.tell();
    await served.tell();
    expect(subjectsTo(holder.email).slice(before.own)).toEqual([
      'Your account: an API key was made',
      'Your account: it was frozen or unfrozen, or its limit was changed',
    ]);
    expect(subjectsTo(other.email)).toHaveLength(before.others);
  });
}
