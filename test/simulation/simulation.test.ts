import { expect, it, vi } from 'vitest';
import { env } from '../support/runtime/test-env.ts';
import { simulate } from './simulation.ts';

/** A step takes some milliseconds. On a busy machine it takes longer. */
const STEP_TIMEOUT_MS = 250;

const seed = Number(env.SIMULATION_SEED);
const steps = Number(env.SIMULATION_STEPS);

it(
  `keeps every promise through ${steps} steps of seed ${seed}`,
  async () => {
    const tell = console.log;
    // The exchange logs a line for every request and every fault.
    for (const method of ['log', 'error'] as const) vi.spyOn(console, method).mockReturnValue();
    const figures = await simulate(seed, steps);
    tell(`figures ${JSON.stringify(figures)}`);
    expect(figures.steps).toBe(steps);
  },
  30_000 + steps * STEP_TIMEOUT_MS,
);
