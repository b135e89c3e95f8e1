import { sendSteadily } from '../traders.ts';
import { distinctCandleQuestion, strangerAddress } from '../../test/support/node/venues/candle-questions.ts';

/**
 * A process of its own that requests different candles from an exchange, from many addresses, at the given rate. The
 * process that times orders therefore does not wait for these requests. A first message starts it. A second one ends
 * it, and it answers with the number of responses for each status.
 */
const [origin = '', rate = '0'] = process.argv.slice(2);

let asked = 0;
let statuses: Record<string, number> = {};
let asking: { readonly end: AbortController; readonly done: Promise<unknown> } | undefined;

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

function beginAsking(): void {
  const end = new AbortController();
  asking = {
    end,
    done: sendSteadily(
      Number(rate),
      () => end.signal.aborted,
      () => askOnce(asked++),
    ),
  };
}

async function endAsking({ end, done }: NonNullable<typeof asking>): Promise<void> {
  asking = undefined;
  end.abort();
  await done;
  process.send?.(statuses);
  statuses = {};
}

process.on('message', () => {
  if (asking === undefined) beginAsking();
  else void endAsking(asking);
});
