import { recentAnswers } from '../../../src/http/edge-cache.ts';

/** What the Worker has stored since the cache was emptied. This module is loaded once in a runtime. */
const stored = new Set<string>();

const cache = caches.default;
const put = cache.put.bind(cache);
cache.put = (request, response) => {
  stored.add(new Request(request).url);
  return put(request, response);
};

/** Empties the isolate's answers and the edge cache of the Worker. The cache cannot list what it has. */
export async function emptyEdgeCache(): Promise<void> {
  recentAnswers.forgetAll();
  const urls = [...stored];
  stored.clear();
  await Promise.all(urls.map((url) => cache.delete(url)));
}
