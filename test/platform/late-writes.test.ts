import { describe, expect, it, vi } from 'vitest';
import { LateWrites, LATE_WRITE_PAUSE_MS } from '../../src/platform/turns.ts';

function open() {
  const written: string[] = [];
  const late = new LateWrites();
  const writeOf = (name: string) => () => void written.push(name);
  return { late, written, writeOf };
}

describe('a late write', () => {
  it('is made with the next flush, once, however often it was requested', () => {
    const { late, written, writeOf } = open();
    const [one, other] = [writeOf('one'), writeOf('other')];
    for (const write of [one, other, one]) late.add(write);
    expect(written).toEqual([]);
    late.flush();
    late.flush();
    expect(written).toEqual(['one', 'other']);
  });

  it('is made after the pause when no flush comes, and so is the next one', async () => {
    const { late, written, writeOf } = open();
    late.add(writeOf('one'));
    await scheduler.wait(LATE_WRITE_PAUSE_MS + 1);
    late.add(writeOf('other'));
    expect(written).toEqual(['one']);
    await scheduler.wait(LATE_WRITE_PAUSE_MS + 1);
    expect(written).toEqual(['one', 'other']);
  });

  it('that throws is reported to the caller that flushes, and the others are still made', () => {
    const { late, written, writeOf } = open();
    late.add(() => {
      throw new Error('the disk is gone');
    });
    late.add(writeOf('other'));
    expect(() => late.flush()).toThrow('the disk is gone');
    late.flush();
    expect(written).toEqual(['other']);
  });

  it('that throws after the pause is logged', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { late } = open();
    late.add(() => {
      throw new Error('the disk is gone');
    });
    await scheduler.wait(LATE_WRITE_PAUSE_MS + 1);
    expect(errors.mock.calls.map(([line]) => (JSON.parse(line as string) as { event: string }).event)).toEqual([
      'late_write_failed',
    ]);
  });
});
