import { describe, expect, it } from 'vitest';
import { readText } from '../../src/platform/read-text.ts';

describe('the body of a response from another server', () => {
  it('is read up to its limit in bytes, and not one byte further', async () => {
    expect(await readText(new Response('12345'), 5)).toBe('12345');
    expect(await readText(new Response('123456'), 5)).toBeUndefined();
    expect(await readText(new Response('€€'), 5)).toBeUndefined();
  });

  it('is an empty text when there is none', async () => {
    expect(await readText(new Response(null, { status: 204 }), 5)).toBe('');
  });

  it('keeps a character that is split between two chunks', async () => {
    const [first, ...rest] = new TextEncoder().encode('€');
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(Uint8Array.of(first ?? 0));
        controller.enqueue(Uint8Array.from(rest));
        controller.close();
      },
    });
    expect(await readText(new Response(body), 5)).toBe('€');
  });

  it('is given up at the limit when it never ends', async () => {
    let isCancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
      cancel: () => {
        isCancelled = true;
      },
    });
    expect(await readText(new Response(endless), 10_000)).toBeUndefined();
    expect(isCancelled).toBe(true);
  });
});
