import { expect } from 'vitest';

export const isReplay = (response: Response) => response.headers.get('X-Idempotency-Replay') === 'true';

/** Expects the first answer again, byte for byte, and said to be a replay. */
export async function expectReplay(response: Response, first: Response): Promise<void> {
  expect([response.status, isReplay(response)]).toEqual([first.status, true]);
  expect(response.headers.get('Location')).toBe(first.headers.get('Location'));
  expect(await response.text()).toBe(await first.clone().text());
}
