import { describe, expect, it } from 'vitest';
import { groupEntries } from '../../console/pages/desk/parts/group-entries.ts';

const row = (
  id: string,
  did: string,
  { who = 'ada', action = 'change_settings', ts = '2026-11-28T08:33:10Z' } = {},
) => ({
  entry: { id, action, target: 'settings', ts },
  who,
  did,
});

const sizes = (rows: readonly ReturnType<typeof row>[]) => groupEntries(rows).map((group) => group.length);

describe('rows of the audit', () => {
  it('are one when somebody changed the settings three times in a minute, and keep their order', () => {
    const rows = [row('3', 'paused deposits'), row('2', 'halted trading'), row('1', 'resumed trading')];
    expect(groupEntries(rows)).toEqual([rows]);
  });

  it.each([
    ['two', [row('2', 'halted trading'), row('1', 'resumed trading')]],
    ['of several people', [row('3', 'a'), row('2', 'b', { who: 'grace' }), row('1', 'c')]],
    ['of several minutes', [row('3', 'a'), row('2', 'b'), row('1', 'c', { ts: '2026-11-28T08:32:59Z' })]],
    [
      'of another kind that say something else',
      ['3', '2', '1'].map((id) => row(id, `wrote the note ${id}`, { action: 'note_account' })),
    ],
  ])('stay apart when they are %s', (_, rows) => {
    expect(sizes(rows)).toEqual(rows.map(() => 1));
  });

  it('are one when they say the same thing again and again', () => {
    expect(sizes(['3', '2', '1'].map((id) => row(id, 'had events sent again', { action: 'replay_events' })))).toEqual([
      3,
    ]);
  });
});
