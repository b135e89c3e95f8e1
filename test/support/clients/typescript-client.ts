import {
  BureauClient,
  type BureauClientOptions,
  BureauConnectionError,
  BureauError,
  type Fetch,
} from '../../../clients/bureau-client/src/index.ts';
import {
  ClientFault,
  type ClientLanguage,
  type DrivenCall,
  type DrivenClient,
  type DrivenWalk,
  type FaultDetails,
} from './driven-client.ts';
import { play } from './played-network.ts';

type Method = (...values: unknown[]) => Promise<unknown>;

function makeCall(client: BureauClient, { operation, path = [], query, body, options }: DrivenCall): Promise<unknown> {
  const method = client[operation as keyof BureauClient] as Method;
  const given = query ?? body;
  return method.call(client, ...path, ...(given === undefined ? [] : [given]), ...(options ? [options] : []));
}

/** The fault of a failed call, in the form that all languages share. Any other error is thrown again. */
function readFault(error: unknown, client: BureauClient): FaultDetails {
  if (!(error instanceof BureauError || error instanceof BureauConnectionError)) throw error;
  const { message, attempts, idempotencyKey } = error;
  const shown = JSON.stringify({ ...error, message, stack: error.stack, client: JSON.stringify(client) });
  const common = { message, attempts, idempotencyKey, shown };
  if (error instanceof BureauConnectionError) return { kind: 'lost', ...common, cause: String(error.cause) };
  const { code, status, detail, requestId, retryable, errors, members } = error;
  return { kind: 'refused', ...common, code, status, detail, requestId, retryable, errors, members };
}

/** A `fetch` whose requests name a scenario of the sandbox. */
function fetchIn(scenario: string): Fetch {
  return (url, init) => {
    const headers = new Headers(init.headers);
    headers.set('X-Sandbox-Scenario', scenario);
    return fetch(url, { ...init, headers });
  };
}

async function outcomeOf(client: BureauClient, call: DrivenCall) {
  try {
    return { value: await makeCall(client, call) };
  } catch (error) {
    return { fault: readFault(error, client) };
  }
}

export function openTypeScript(): ClientLanguage {
  return {
    name: 'bureau-client',
    connect({ origin, apiKey, attempts, scenario }): DrivenClient {
      const options: BureauClientOptions = {
        origin,
        apiKey,
        random: () => 0,
        ...(attempts !== undefined && { attempts }),
        ...(scenario !== undefined && { fetch: fetchIn(scenario) }),
      };
      const client = new BureauClient(options);
      return {
        async call(call) {
          const outcome = await outcomeOf(client, call);
          if ('fault' in outcome) throw new ClientFault(outcome.fault);
          return outcome.value;
        },
        walk: (list, walk = {}) =>
          Array.fromAsync<unknown>((client[list] as (walk: DrivenWalk) => AsyncIterable<unknown>)(walk)),
      };
    },
    async play({ steps, random = 0, calls }) {
      const { client, sent, slept } = play(steps, { random });
      const outcomes = [];
      for (const call of calls) outcomes.push(await outcomeOf(client, call));
      return { outcomes, sent, slept };
    },
    listOperations: () => Promise.resolve(Object.getOwnPropertyNames(BureauClient.prototype)),
    close: () => Promise.resolve(),
  };
}
