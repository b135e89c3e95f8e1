import { useEffect, useState } from 'preact/hooks';
import type { Ticker } from '../../clients/bureau-client/src/operations.ts';
import { api } from './api.ts';

/** The tickers as the market's stream sends them while the page is open; nothing until the first message. */
export function useLiveTickers(): readonly Ticker[] | undefined {
  const [tickers, setTickers] = useState<readonly Ticker[]>();
  useEffect(() => {
    const controller = new AbortController();
    const follow = async () => {
      for await (const { data } of api.stream({ channel: 'tickers', signal: controller.signal })) setTickers(data);
    };
    // It ends with the page; what is refused for good leaves the prices that the page reads.
    follow().catch(() => setTickers(undefined));
    return () => controller.abort();
  }, []);
  return tickers;
}
