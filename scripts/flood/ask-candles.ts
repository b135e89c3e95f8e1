import { distinctCandleQuestion, strangerAddress } from '../../test/support/node/venues/candle-questions.ts';

/**
 * A process of its own that asks an exchange for different candles, from many addresses, at the rate given to it: so
 * that the process which times orders does not wait for its own questions. It is told to ask by any message, and the
 * next message lets it finish: it then answers with the number of each status.
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

/** Asks evenly. What was due while the process had to wait is asked at once. */
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
