import { expect, test } from 'vitest';
import { findSwitchOff, toggleTrading } from '../../console/pages/desk/screens/toggles.ts';
import type { AuditEntry, ChangeSettings, ExchangeSettings } from '../../console/pages/desk/schema.d.ts';

const entry = (id: string, detail: ChangeSettings) => ({ id, detail }) as unknown as AuditEntry;
const dogecoin = toggleTrading({ haltedCoins: ['DOGE'] } as unknown as ExchangeSettings, 'DOGE');

const halted = entry('halted', { haltedCoins: ['DOGE'] });
const alsoBitcoin = entry('also Bitcoin', { haltedCoins: ['DOGE', 'BTC'] });
const resumed = entry('resumed', { haltedCoins: ['BTC'] });
const spread = entry('spread', { spreadBps: 20 });

test.each([
  ['the first that names it', [spread, alsoBitcoin, halted], null, 'halted'],
  ['the first since it was on', [alsoBitcoin, spread, halted, resumed, alsoBitcoin], 'more', 'halted'],
  ['unknown, where older changes are not read', [alsoBitcoin, halted], 'more', undefined],
  ['unknown, where it was on by the newest', [resumed, halted], null, undefined],
  ['unknown, where no change is about it', [spread], null, undefined],
])('what switched something off is %s', (_, entries, nextCursor, id) => {
  expect(findSwitchOff(dogecoin, { entries, nextCursor })?.id).toBe(id);
});
