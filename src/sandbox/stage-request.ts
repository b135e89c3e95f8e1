import { answerProblem, toResponse, type Refusal, refuse } from '../http/answer.ts';
import { type AdmitCall, type KeyedCall, laneOf } from '../lane/key-lane.ts';
import type { Bindings } from '../platform/bindings.ts';
import { SCENARIO_HEADER, type Scenario, isScenario, scenarios } from './scenario.ts';

/**
 * Reads a request's scenario. Gives the bindings with which the request is answered: in a scenario its lane is told of
 * it. A request that the scenario is not for is answered as any other, so that a client may send the header always; a
 * scenario that does not exist is a response, 400 `invalid_request`.
 */
export function stageRequest(request: Request, bindings: Bindings): Bindings | Response {
  const name = request.headers.get(SCENARIO_HEADER);
  if (name === null) return bindings;
  const { pathname } = new URL(request.url);
  if (!isScenario(name)) {
    const requestId = crypto.randomUUID();
    const answer = answerProblem(refuseScenario(name), { requestId, url: request.url, path: pathname });
    return toResponse(answer, { 'X-Request-Id': requestId });
  }
  const places: readonly string[] | null = scenarios[name];
  const isMeant = places?.includes(`${request.method} ${pathname}`) ?? true;
  return isMeant ? { ...bindings, KEY_LANE: tellLane(bindings, name) } : bindings;
}

function refuseScenario(name: string): Refusal {
  const detail = `There is no scenario ${JSON.stringify(name)}. There are: ${Object.keys(scenarios).join(', ')}.`;
  return refuse('invalid_request', detail, {
    errors: [{ pointer: SCENARIO_HEADER, code: 'unknown_value', detail }],
  });
}

/** The lanes, as a request in a scenario reaches them. */
function tellLane(bindings: Bindings, scenario: Scenario): DurableObjectNamespace {
  const getByName = (keyId: string) => {
    const lane = laneOf(bindings, keyId);
    return {
      admit: (call: AdmitCall) => lane.admit(stage(call, scenario)),
      execute: (call: KeyedCall) => lane.execute(stage(call, scenario)),
    };
  };
  return { getByName } as unknown as DurableObjectNamespace;
}

function stage<Call extends object>(call: Call, scenario: Scenario): Call {
  return { ...call, scenario };
}
