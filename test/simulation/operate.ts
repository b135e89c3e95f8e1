import { asOperator } from '../support/exchange.ts';
import type { Draw } from '../support/draw.ts';
import type { Batch } from '../support/runtime/faults.ts';
import { withoutReference } from './movement.ts';
import { must } from './must.ts';
import { type Injection, failDatabase } from './inject-faults.ts';
import type { World } from './world.ts';

interface Answer {
  readonly status: number;
  readonly body: Record<string, Record<string, unknown> | string | undefined>;
}

/** Sends a request as the operator, with or without a fault of D1, and returns the answer and what moved. */
export async function operate(world: World, method: string, path: string, body?: unknown, injection?: Injection) {
  const response = await asOperator(method, path, body);
  injection?.remove();
  const answer: Answer = { status: response.status, body: await response.json() };
  world.count('answers', typeof answer.body['code'] === 'string' ? answer.body['code'] : `operator ${answer.status}`);
  const moved = (await world.observe()).map(withoutReference);
  return { answer, moved };
}

/** Makes D1 fail at the next batch, in some of the steps. */
export function injectDatabaseFault(world: World, draw: Draw, batch: Batch): Injection | undefined {
  if (!draw.happens(0.35)) return undefined;
  const fault = draw.pick(failDatabase(batch, false));
  const injection = fault.inject();
  return {
    ...injection,
    remove: () => {
      injection.remove();
      world.count('faults', fault.name, injection.count() > 0 ? 1 : 0);
    },
  };
}

/** A change that must not be refused, and that moves no money. */
export async function succeed(world: World, method: string, path: string, body?: unknown): Promise<void> {
  const { answer, moved } = await operate(world, method, path, body);
  must([200, 201].includes(answer.status) && moved.length === 0, 'answered', answer, moved);
}
