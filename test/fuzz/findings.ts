/** What does not hold, each kind of it once, with how often it came and where first. */
export class Findings {
  readonly #limit: number;
  readonly #kinds = new Map<string, { readonly fault: string; readonly where: string; count: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether so many kinds were found that more would tell nobody anything. */
  isFull(): boolean {
    return this.#kinds.size >= this.#limit;
  }

  add(fault: string, where = ''): void {
    const kind = fault.replaceAll(/[0-9a-f-]{8,}|\d+/gu, '#').slice(0, 160);
    const known = this.#kinds.get(kind);
    if (known) known.count += 1;
    else this.#kinds.set(kind, { fault, where, count: 1 });
  }

  list(): string[] {
    return [...this.#kinds.values()].map(({ fault, where, count }) => `${count} times: ${fault}\n  ${where}`);
  }
}
