import type { Bindings } from '../platform/bindings.ts';
import type { KeyLane } from './key-lane.ts';

/** The lane of a key. A stub fails after its object was reset, so every call takes a new one. */
export function laneOf({ KEY_LANE }: Pick<Bindings, 'KEY_LANE'>, keyId: string): DurableObjectStub<KeyLane> {
  return KEY_LANE.getByName(keyId) as DurableObjectStub<KeyLane>;
}
