import type { Result, Router } from 'hono/router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';

/** What a path that may match others has in Hono's notation: a parameter or a wildcard. */
const VARIABLE = /[:*]/;

/**
 * Routes as Hono's TrieRouter does, but looks a path without parameters up only once for each method, because it always
 * has the same handlers. Hono's faster RegExpRouter takes no list in which a fixed path and a parameter have the same
 * place, such as `/markets/tickers` and `/markets/:symbol`.
 */
export class FixedPathRouter<Handler> implements Router<Handler> {
  readonly name = 'FixedPathRouter';
  readonly #router = new SmartRouter<Handler>({ routers: [new TrieRouter<Handler>()] });
  /** What was found for each fixed path, by method. Callers name neither, so it cannot grow beyond the routes. */
  readonly #found = new Map<string, Map<string, Result<Handler>>>();
  readonly #methods = new Set<string>();

  add(method: string, path: string, handler: Handler): void {
    this.#router.add(method, path, handler);
    this.#methods.add(method);
    if (!VARIABLE.test(path)) this.#found.set(path, new Map());
  }

  match(method: string, path: string): Result<Handler> {
    const found = this.#found.get(path);
    // A method that no route has is answered by the routes for all methods, and is not worth remembering.
    if (!found || !this.#methods.has(method)) return this.#router.match(method, path);
    const known = found.get(method);
    if (known) return known;
    const result = this.#router.match(method, path);
    found.set(method, result);
    return result;
  }
}
