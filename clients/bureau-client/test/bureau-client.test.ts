import { expect, inject, it } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { describeTrading } from '../../../test/support/clients/describe-trading.ts';
import { openTypeScript } from '../../../test/support/clients/typescript-client.ts';

describeTrading(inject('workerBundle'), openTypeScript);

// Node's timers overflow at long waits; those of workerd do not.
it('a wait ends when its signal aborts, and not earlier', async () => {
  const controller = new AbortController();
  const asleep = systemClock.sleep(60_000, controller.signal);
  const forAges = systemClock.sleep(2 ** 40, controller.signal).then(() => 'ages');
  expect(await Promise.race([forAges, systemClock.sleep(20, undefined).then(() => 'soon')])).toBe('soon');
  controller.abort(new Error('up'));
  await expect(asleep).rejects.toThrow('up');
  await expect(forAges).rejects.toThrow('up');
});
