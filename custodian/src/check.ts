import { describeError } from './log.ts';

/** One check, and its result. */
export interface Finding {
  readonly name: string;
  readonly isRight: boolean;
  readonly detail: string;
}

/** Runs one check. It failed if `look` throws, and the error says why. */
export async function check(name: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { name, isRight: true, detail: await look() };
  } catch (error) {
    return { name, isRight: false, detail: describeError(error) };
  }
}
