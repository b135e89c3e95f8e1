import type { BureauClient } from '../../clients/bureau-client/src/client.ts';

/** How the exchange's parts do. */
export type Status = Pick<Awaited<ReturnType<BureauClient['getStatus']>>, 'trading' | 'withdrawals' | 'prices'>;

/** What does not work now, in a sentence or two, and what that means. */
export interface Trouble {
  readonly what: string;
  readonly more: string;
}

const join = (words: readonly string[]) => [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ');
const begin = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** All that does not work as one trouble, with what still does; nothing while all of it works. */
export function tellTroubles(status: Status | 'unreachable'): Trouble | undefined {
  if (status === 'unreachable')
    return {
      what: 'The exchange does not answer.',
      more: 'What you see may be old. It is asked again by itself.',
    };
  const { trading, withdrawals, prices } = status;
  const nameHalted = (orders: string) =>
    [trading === 'HALTED' && orders, withdrawals === 'HALTED' && 'withdrawals'].filter((part) => part !== false);
  const halted = nameHalted('trading');
  const troubles = [
    halted.length > 0 && [
      `${begin(join(halted))} ${String(halted) === 'trading' ? 'is' : 'are'} halted by the exchange.`,
      `New ${join(nameHalted('orders'))} are refused.`,
      withdrawals === 'HALTED' && 'Withdrawals sent before may be late.',
    ],
    trading === 'DEGRADED' && ['Orders cannot fill at the moment.', 'Nothing is taken for one that is refused.'],
    trading === 'OK' &&
      prices === 'DEGRADED' && [
        'Some coins have no price at the moment.',
        'Orders of them are refused; all others fill.',
      ],
    withdrawals === 'DEGRADED' && ['Withdrawals take longer than usual.', 'Those you asked for are on their way.'],
  ].filter((trouble) => trouble !== false);
  if (troubles.length === 0) return undefined;
  const working = [
    trading === 'OK' && prices === 'OK' && 'trading',
    withdrawals === 'OK' && 'withdrawals',
    'deposits',
  ].filter((part) => part !== false);
  return {
    what: troubles.map(([what]) => what).join(' '),
    more: [
      ...troubles.flatMap(([, ...more]) => more.filter((sentence) => sentence !== false)),
      `${begin(join(working))} work as usual, and your coins stay where they are.`,
    ].join(' '),
  };
}
