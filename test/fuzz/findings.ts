/** The violations that were found: each kind once, with its number and its first attack. */
export class Findings {
  readonly #limit: number;
  readonly #kinds = new Map<string, { readonly fault: string; readonly where: string; count: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether there are enough kinds to end the run. */
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
