import { expect, it } from 'vitest';
import { countSession } from '../../src/lane/buckets.ts';
import { laneOf } from '../../src/lane/key-lane.ts';
import type { KeyRecord } from '../../src/keys/record.ts';
import { env } from '../support/runtime/test-env.ts';

/** The bindings at a location, and which names were asked for with which hint: this platform makes all objects here. */
function listenAt(location: DurableObjectLocationHint) {
  const asked: [string, DurableObjectNamespaceGetDurableObjectOptions | undefined][] = [];
  const namespace = {
    getByName: (name: string, options?: DurableObjectNamespaceGetDurableObjectOptions) => {
      asked.push([name, options]);
      return env.KEY_LANE.getByName(name, options);
    },
  };
  return { asked, bindings: { KEY_LANE: namespace as unknown as typeof env.KEY_LANE, LEDGER_LOCATION: location } };
}

it('a lane is made near its ledger, and stays the same lane when the location is changed', () => {
  const [one, other] = [listenAt('weur'), listenAt('apac')];
  const lanes = [one, other].map(({ bindings }) => laneOf(bindings, 'key'));
  expect([one.asked, other.asked]).toEqual([[['key', { locationHint: 'weur' }]], [['key', { locationHint: 'apac' }]]]);
  expect(lanes[0]?.id.equals(lanes[1]?.id as DurableObjectId)).toBe(true);
});

it('the lane that counts an account’s sessions is made near its ledger', async () => {
  const { asked, bindings } = listenAt('apac');
  await countSession(bindings, { accountId: 'account' } as KeyRecord, 'read', { perMinute: 1, perDay: 1 });
  expect(asked).toEqual([['account', { locationHint: 'apac' }]]);
});
