import { describe, expect, it } from 'vitest';
import { openConsole } from '../support/node/console/start-console.ts';

/** What the people of the staff are mailed while something needs them. */

const HOUR_MS = 3_600_000;
const ADMIN = 'admin@bureau.example';
const REVIEWER = 'carol@bureau.example';

const served = await openConsole();

const alertsTo = (email: string) => served.mailsTo(email).filter(({ subject }) => subject.startsWith('Bureau desk: '));
const setHalt = (hedgingHalted: boolean) => served.operate('PATCH', '/settings', { hedgingHalted });
const age = (name: string, by_ms: number) =>
  served.identity.prepare(`UPDATE alerts SET seen_at = seen_at - ${by_ms} WHERE name LIKE '${name}%'`).run();

describe('the staff', () => {
  it('is mailed once while something stands, and again when it comes back after an hour', async () => {
    await served.tell();
    const before = alertsTo(ADMIN).length;
    await setHalt(true);
    for (let minute = 0; minute < 3; minute += 1) await served.tell();
    const [mail, ...others] = alertsTo(ADMIN).slice(before);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Bureau desk: Hedging is halted: the position of the house is not covered');
    expect(mail?.text).toContain(`${served.place.consoleOrigin}/desk/house`);
    await setHalt(false);
    await served.tell();
    await setHalt(true);
    await served.tell();
    expect(alertsTo(ADMIN)).toHaveLength(before + 1);
    await setHalt(false);
    await served.tell();
    await age('hedging_halted', HOUR_MS + 1);
    await served.tell();
    await setHalt(true);
    await served.tell();
    expect(alertsTo(ADMIN)).toHaveLength(before + 2);
    await setHalt(false);
  });

  it('is mailed by role: who may do nothing about it is not', async () => {
    await served.operate('PUT', `/staff/${REVIEWER}`, { roles: ['compliance'] });
    await age('hedging_halted', HOUR_MS + 1);
    const before = alertsTo(ADMIN).length;
    await setHalt(true);
    await served.tell();
    expect(alertsTo(ADMIN)).toHaveLength(before + 1);
    expect(alertsTo(REVIEWER)).toEqual([]);
    await setHalt(false);
  });

  it('is mailed at the next run what could not be sent', async () => {
    await age('hedging_halted', HOUR_MS + 1);
    const before = alertsTo(ADMIN).length;
    served.refuseMailsTo(ADMIN);
    await setHalt(true);
    await served.tell();
    expect(alertsTo(ADMIN)).toHaveLength(before);
    served.refuseMailsTo();
    await served.tell();
    await served.tell();
    expect(alertsTo(ADMIN)).toHaveLength(before + 1);
  });
});
