import type { CustodianProgramme } from './custodian-state.ts';

/** What tests have told the custodian to do with its next requests. */
export class CustodianProgrammes {
  readonly #waiting: CustodianProgramme[] = [];

  add(programme: CustodianProgramme): void {
    this.#waiting.push(programme);
  }

  /** The first one that matches a request, of which one use is then spent. An empty one when none matches. */
  take(method: string, withdrawalId: string): CustodianProgramme {
    const index = this.#waiting.findIndex(
      (one) => (one.method ?? method) === method && (one.withdrawalId ?? withdrawalId) === withdrawalId,
    );
    const programme = this.#waiting[index];
    if (programme === undefined) return {};
    const { times = 1 } = programme;
    if (times === 1) this.#waiting.splice(index, 1);
    else if (times !== null) this.#waiting[index] = { ...programme, times: times - 1 };
    return programme;
  }
}
