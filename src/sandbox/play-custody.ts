import { describeError, logFault } from '../platform/log.ts';
import { CUSTODY_DEADLINE_MS, type Custody, type CustodyState, type Payout } from '../custody/custody.ts';
import { type Scenario, currentScene } from './scenario.ts';

/** How long a custodian that pays late takes. */
export const PAYS_AFTER_MS = 10_000;

/** What became of a payout that was submitted in a scenario. */
export interface PlayedPayout {
  readonly scenario: Scenario;
  readonly submitted_ms: number;
}

/** Remembers the payouts of scenarios, for look-ups by other requests and by the sweep. */
export interface PayoutMemory {
  notePayout(withdrawalId: string, payout: PlayedPayout): Promise<void>;
  readPayout(withdrawalId: string): Promise<PlayedPayout | undefined>;
}

/** The custodian as the sandbox reaches it: `custody`, but for the payouts that a scenario is played with. */
export function playCustody(custody: Custody, memory: PayoutMemory): Custody {
  return {
    name: custody.name,
    async submit(payout) {
      const scenario = currentScene()?.scenario;
      if (!scenario?.startsWith('custodian_')) return playPayout(memory, custody, payout, () => custody.submit(payout));
      try {
        await memory.notePayout(payout.withdrawalId, { scenario, submitted_ms: Date.now() });
      } catch (error) {
        return forget(error);
      }
      if (scenario === 'custodian_hangs') await scheduler.wait(CUSTODY_DEADLINE_MS);
      return playPayout(memory, custody, payout, () => custody.submit(payout));
    },
    lookup: (payout) => playPayout(memory, custody, payout, () => custody.lookup(payout)),
    holdings: () => custody.holdings(),
  };
}

/** What the custodian says of a payout. One that belongs to no scenario is asked for `otherwise`. */
async function playPayout<State>(
  memory: PayoutMemory,
  custody: Custody,
  payout: Payout,
  otherwise: () => Promise<State>,
): Promise<CustodyState | State> {
  let played: PlayedPayout | undefined;
  try {
    played = await memory.readPayout(payout.withdrawalId);
  } catch (error) {
    return forget(error);
  }
  if (played?.scenario === 'custodian_hangs') return { kind: 'unknown' };
  if (played?.scenario === 'custodian_refuses') return { kind: 'refused', reason: 'the scenario custodian_refuses' };
  if (played?.scenario !== 'custodian_pays_late') return otherwise();
  if (Date.now() < played.submitted_ms + PAYS_AFTER_MS) return { kind: 'accepted' };
  return custody.submit(payout);
}

function forget(error: unknown): CustodyState {
  logFault('sandbox_memory_unreachable', { error: describeError(error) });
  return { kind: 'unknown' };
}
