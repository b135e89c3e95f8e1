import type { Matter } from '../../../src/exchange/matters.ts';
import { describeError, logFault } from '../../../src/platform/log.ts';
import { type ConsoleBindings, config } from '../env.ts';
import { sendMail } from './mails.ts';
import type { Letter } from './notice.ts';

/** A matter that was gone for less than that is still the same: one that comes and goes is mailed once. */
const FORGOTTEN_AFTER_MS = 3_600_000;

type Told = Omit<Matter, 'to'>;

const many = (count: number, one: string, several: string) => (count === 1 ? `A ${one}` : `${count} ${several}`);

/** What each kind of matter says, and the page of the desk for it. */
const matters: Readonly<Record<Matter['kind'], (matter: Told) => readonly [sentence: string, path: string]>> = {
  violation: () => ['The books do not add up: trading and withdrawals are halted', '/desk'],
  review: ({ count }) => [`${many(count, 'withdrawal waits', 'withdrawals wait')} for a review`, '/desk/reviews'],
  payout: ({ count }) => [
    `${many(count, 'payout is', 'payouts are')} with the custodian and not ended`,
    '/desk/payouts',
  ],
  held: ({ count }) => [
    `${many(count, 'payout is', 'payouts are')} held: the custodian lacks something, mostly coins in its hot wallet`,
    '/desk/payouts',
  ],
  quarantine: ({ count }) => [`${many(count, 'deposit is', 'deposits are')} in quarantine`, '/desk/deposits'],
  shortfall: ({ subject }) => [`The custodian holds less ${subject} than it should`, '/desk'],
  custodian_silent: () => ['The custodian does not answer', '/desk'],
  hedge_open: ({ subject, count }) => [
    `${many(count, 'hedge', 'hedges')} at ${subject} ${count === 1 ? 'has' : 'have'} no end for too long`,
    '/desk/liquidity',
  ],
  hedging_halted: () => ['Hedging is halted: the position of the house is not covered', '/desk/house'],
  loss_halted: () => ['The house lost more today than it may: trading is halted', '/desk/liquidity'],
  exposure: ({ subject }) => [`The house has used more than 80 % of its exposure of ${subject}`, '/desk/house'],
  no_price: ({ subject }) => [`The venues agree on no price of ${subject}: it is not traded`, '/desk/switches'],
  no_prices: () => ['The prices do not answer: nothing is traded', '/desk/switches'],
  ledger_down: ({ subject }) => [`Ledger ${subject} does not answer`, '/desk'],
};

/**
 * Mails the people of the staff what stands and needs them, once for each matter while it lasts, and all that is new in one
 * mail. A mail that is not sent is tried again at the next run.
 */
export async function tellStaff(env: ConsoleBindings, now_ms: number): Promise<void> {
  try {
    const read = await env.HOLDERS.listMatters();
    if (!read.ok) throw new Error(read.code);
    for (const [email, untold] of await noteMatters(env, read.value, now_ms)) {
      if (await sendMail(env, email, writeLetter(untold))) await noteTold(env, email, untold, now_ms);
    }
  } catch (error) {
    logFault('staff_not_told', { error: describeError(error) });
  }
}

const nameOf = ({ kind, subject }: Pick<Matter, 'kind' | 'subject'>) => `${kind} ${subject}`;

/** Notes which matters stand, and returns those that each person was not told of. Throws when D1 fails. */
async function noteMatters(
  { IDENTITY }: ConsoleBindings,
  standing: readonly Matter[],
  now_ms: number,
): Promise<ReadonlyMap<string, readonly Matter[]>> {
  const rows = standing.flatMap((matter) => matter.to.map((email) => ({ name: nameOf(matter), email })));
  const [, , read] = await IDENTITY.batch<{ name: string; email: string }>([
    IDENTITY.prepare('DELETE FROM alerts WHERE seen_at < ?').bind(now_ms - FORGOTTEN_AFTER_MS),
    IDENTITY.prepare(
      `INSERT INTO alerts (name, email, seen_at) SELECT value ->> 'name', value ->> 'email', ?1 FROM json_each(?2) WHERE true
       ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at`,
    ).bind(now_ms, JSON.stringify(rows)),
    IDENTITY.prepare('SELECT name, email FROM alerts WHERE told_at IS NULL AND seen_at = ?').bind(now_ms),
  ]);
  const untold = Map.groupBy(read?.results ?? [], ({ email }) => email);
  return new Map(
    [...untold].map(([email, own]) => [
      email,
      standing.filter((matter) => own.some(({ name }) => name === nameOf(matter))),
    ]),
  );
}

async function noteTold(
  { IDENTITY }: ConsoleBindings,
  email: string,
  told: readonly Matter[],
  now_ms: number,
): Promise<void> {
  const names = JSON.stringify(told.map(nameOf));
  await IDENTITY.prepare(
    'UPDATE alerts SET told_at = ?1 WHERE email = ?2 AND name IN (SELECT value FROM json_each(?3))',
  )
    .bind(now_ms, email, names)
    .run();
}

function writeLetter(untold: readonly Matter[]): Letter {
  const lines = untold.map((matter) => {
    const [sentence, path] = matters[matter.kind](matter);
    const since = matter.since_ms === null ? '' : `, since ${new Date(matter.since_ms).toISOString()}`;
    return { sentence, text: `- ${sentence}${since}.\n  ${config.CONSOLE_ORIGIN}${path}` };
  });
  const subject = lines.length === 1 ? String(lines[0]?.sentence) : `${lines.length} matters need somebody`;
  return {
    subject: `Bureau desk: ${subject}`,
    text: `${lines.map(({ text }) => text).join('\n')}\n\nYou get one mail about each while it lasts.\n`,
  };
}
