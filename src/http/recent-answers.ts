import { isRecent } from '../platform/deadline.ts';

/** A JSON body that is ready to send. */
export interface ReadyAnswer {
  readonly body: string;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly tag: string;
  /** Until when it may be served. */
  readonly expires_ms: number;
}

/** How long an answer is given again without a look into the edge cache, which another isolate may have renewed. */
const KEPT_MS = 1_000;

const MAX_ANSWERS = 64;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * The answers that this isolate sent within the last second, by what they contain. Two requests for the same within a
 * second then cost one look into the edge cache. The oldest are forgotten when there are too many, or when they are too
 * long together. Holds nothing of a single request.
 */
export class RecentAnswers {
  readonly #kept = new Map<string, { readonly answer: ReadyAnswer; readonly kept_ms: number }>();
  #characters = 0;

  find(key: string, now_ms: number): ReadyAnswer | undefined {
    const kept = this.#kept.get(key);
    if (kept && isRecent(KEPT_MS - 1, kept.kept_ms, now_ms) && now_ms < kept.answer.expires_ms) return kept.answer;
    this.#forget(key);
    return undefined;
  }

  keep(key: string, answer: ReadyAnswer, now_ms: number): void {
    this.#forget(key);
    if (answer.body.length > MAX_CHARACTERS) return;
    this.#kept.set(key, { answer, kept_ms: now_ms });
    this.#characters += answer.body.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_ANSWERS && this.#characters <= MAX_CHARACTERS) return;
      this.#forget(oldest);
    }
  }

  forgetAll(): void {
    this.#kept.clear();
    this.#characters = 0;
  }

  #forget(key: string): void {
    this.#characters -= this.#kept.get(key)?.answer.body.length ?? 0;
    this.#kept.delete(key);
  }
}
