import { fetchJson } from '../sources/fetch-json.ts';
import { SourceError } from '../sources/source-error.ts';
import { type StreamSource, at, bookOf, parseMessage } from './stream-source.ts';

const TOPIC = '/spotMarket/level1:';

/**
 * KuCoin's best bid and ask. The address has a token, which it gives for 24 hours, and subscriptions are taken after its
 * welcome. The market is named in the topic alone.
 */
export const kucoinStream: StreamSource = {
  venue: 'kucoin',
  welcomes: true,
  async findUrl(base, _symbols, signal) {
    const answer = await fetchJson(`${base}/api/v1/bullet-public`, signal, 'POST');
    const [endpoint, token] = [at(answer, 'data', 'instanceServers', 0, 'endpoint'), at(answer, 'data', 'token')];
    if (typeof endpoint !== 'string' || typeof token !== 'string')
      throw new SourceError('gave no address of its stream');
    return `${endpoint}?token=${encodeURIComponent(token)}&connectId=bureau`;
  },
  subscribe: (symbols) => [
    JSON.stringify({ id: 'books', type: 'subscribe', topic: `${TOPIC}${symbols.join(',')}`, response: true }),
  ],
  ping: (id) => JSON.stringify({ id: String(id), type: 'ping' }),
  read(text) {
    const message = parseMessage(text);
    const type = at(message, 'type');
    if (type === 'welcome' || type === 'pong') return [{ kind: type }];
    if (type === 'error') return [{ kind: 'refused', symbol: null }];
    const topic = at(message, 'topic');
    if (type !== 'message' || typeof topic !== 'string' || !topic.startsWith(TOPIC)) return [];
    const data = at(message, 'data');
    return bookOf(topic.slice(TOPIC.length), at(data, 'bids', 0), at(data, 'asks', 0), at(data, 'timestamp'));
  },
};
