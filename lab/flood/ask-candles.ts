import { distinctCandleQuestion, strangerAddress } from '../../test/support/node/venues/candle-questions.ts';

/**
 * A process of its own that requests different candles from an exchange, from many addresses, at the given rate. The
 * process that times orders therefore does not wait for these requests. A first message starts it. A second one ends
 * it, and it answers with the number of responses for each status.
 */
const [origin = '', rate = '0'] = process.argv.slice(2);

let asked = 0;
let statuses: Record<string, number> = {};
const open = new Set<Promise<void>>();
let timer: NodeJS.Timeout | undefined;

async function askOnce(index: number): Promise<void> {
  const headers = { 'CF-Connecting-IP': strangerAddress(index) };
  const status = await fetch(`${origin}${distinctCandleQuestion(index)}`, { headers }).then(
    async (response) => {
      await response.arrayBuffer();
      return String(response.status);
    },
    () => 'connection lost',
  );
  statuses[status] = (statuses[status] ?? 0) + 1;
}

/** Sends at an even rate. Requests that became due while the process was delayed are sent at once. */
function beginAsking(): void {
  const [begun_ms, first] = [performance.now(), asked];
  timer = setInterval(
    () => {
      const due = first + Math.floor(((performance.now() - begun_ms) / 1_000) * Number(rate));
      while (asked < due) {
        const question = askOnce(asked++).finally(() => open.delete(question));
        open.add(question);
      }
    },
    Math.max(1, Math.floor(1_000 / Number(rate))),
  );
}

async function endAsking(): Promise<void> {
  clearInterval(timer);
  timer = undefined;
  await Promise.allSettled(open);
  process.send?.(statuses);
  statuses = {};
}

process.on('message', () => {
  if (timer === undefined) beginAsking();
  else void endAsking();
});
