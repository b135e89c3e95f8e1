import { expect, test } from 'vitest';
import { showSecond, showTime } from '../../console/pages/format.ts';
import {
  type Delivery,
  groupAttempts,
  listFailed,
  nameProgress,
  tellNext,
} from '../../console/pages/parts/webhooks/delivery-state.ts';

const AGAIN = '2026-11-28T09:12:00.000Z';

const attempt = (outcome: Delivery['outcome']): Delivery => ({
  eventId: 'evt_1_09',
  type: 'order.filled',
  at: '2026-11-28T09:10:00.000Z',
  outcome,
  status: null,
  fault: 'unreachable',
  durationMs: 1,
  answer: null,
});

const [taken, failed] = [attempt('DELIVERED'), attempt('FAILED')];

test.each([
  ['nothing was sent yet', { deliveries: [] }, 'Nothing to deliver yet'],
  ['all was taken', { deliveries: [taken, failed] }, 'All delivered'],
  [
    'the newest attempt failed',
    { deliveries: [failed, taken], deliveredTo: 8, nextAttemptAt: AGAIN },
    `Failed, again at ${showTime(AGAIN)}`,
  ],
  ['a test failed', { deliveries: [{ ...failed, type: 'endpoint.test' }, taken] }, 'All delivered'],
  ['it is attempted again just now', { deliveries: [failed], deliveredTo: 8 }, 'On its way'],
  ['what was delivered before was sent once more, and failed', { deliveries: [failed, taken] }, 'All delivered'],
  [
    'the same while another one is attempted again',
    { deliveries: [failed, { ...failed, eventId: 'evt_1_10' }], nextAttemptAt: AGAIN },
    `Failed, again at ${showTime(AGAIN)}`,
  ],
  ['more is to come', { deliveries: [taken], nextAttemptAt: AGAIN }, 'On its way'],
  ['two were put aside', { deliveries: [taken], setAside: [failed, failed] }, '2 not delivered'],
])('an endpoint is told to be so far: %s', (_, log, words) => {
  expect(nameProgress({ setAside: [], deliveredTo: 9, nextAttemptAt: null, ...log }, true)[1]).toBe(words);
});

test('an endpoint that is switched off is told to be, whatever was delivered', () => {
  expect(nameProgress({ deliveries: [taken], setAside: [], deliveredTo: 9, nextAttemptAt: null }, false)[1]).toBe(
    'Switched off',
  );
});

test('the attempts of an event stand together, each newest first, in the order of the newest of each', () => {
  const other = { ...taken, eventId: 'evt_1_10' };
  expect(groupAttempts([failed, other, taken])).toEqual([[failed, taken], [other]]);
});

test.each([
  ['was delivered', taken, { deliveredTo: 8, nextAttemptAt: AGAIN }, undefined],
  ['waits for its next attempt', failed, { deliveredTo: 8, nextAttemptAt: AGAIN }, `sent again ${showSecond(AGAIN)}`],
  ['is attempted just now', failed, { deliveredTo: 8, nextAttemptAt: null }, 'being sent again'],
  ['is done with', failed, { deliveredTo: 9, nextAttemptAt: AGAIN }, 'no automatic retry'],
  ['was a test', { ...failed, type: 'endpoint.test' }, { deliveredTo: 8, nextAttemptAt: AGAIN }, undefined],
])('a failed event says what comes next: one that %s', (_, delivery, log, words) => {
  expect(tellNext(delivery, log)).toBe(words);
});

test('what failed is each event whose newest attempt failed, put aside or not, and no test', () => {
  const [other, aside, trial] = [
    { ...failed, eventId: 'evt_1_10' },
    { ...failed, eventId: 'evt_1_08' },
    { ...failed, eventId: 'evt_test_1', type: 'endpoint.test' },
  ];
  expect(listFailed({ deliveries: [taken, other, failed, trial], setAside: [aside] })).toEqual([
    'evt_1_10',
    'evt_1_08',
  ]);
});
