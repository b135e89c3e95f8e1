import type { CallOptions } from '../../../clients/bureau-client/src/index.ts';
import type { Scenario } from '../../../src/sandbox/scenario.ts';

/** The options of a single call, in every client. */
export interface DrivenOptions extends Omit<CallOptions, 'signal'> {
  readonly idempotencyKey?: string;
}

/** A call of an operation of the document by its `operationId`, with its values. */
export interface DrivenCall {
  readonly operation: string;
  /** The values of the path's parameters, in order. */
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  readonly options?: DrivenOptions;
}

/** How a client is made. */
export interface DrivenSettings {
  readonly origin: string;
  readonly apiKey?: string | undefined;
  /** The most attempts of a call. It also switches the random part of waits off. */
  readonly attempts?: number;
  /** The scenario of the sandbox that all requests name. */
  readonly scenario?: Scenario | undefined;
}

/** A list whose pages a client reads. */
export type DrivenList = 'orders' | 'withdrawals' | 'deposits' | 'transactions' | 'events';

/** Which rows of a list a client reads, and in pages of which size. */
export interface DrivenWalk {
  readonly pageSize?: number;
  readonly filter?: Readonly<Record<string, string>>;
  readonly after?: number;
  readonly types?: readonly string[];
}

/** A client in any language; the same is expected of each. Calls reject with a `ClientFault`. */
export interface DrivenClient {
  call(call: DrivenCall): Promise<unknown>;
  /** Every row of a list that fits. */
  walk(list: DrivenList, walk?: DrivenWalk): Promise<unknown[]>;
}

/** What every client says about a failed call, under the same names. */
export interface FaultDetails {
  /** Whether the exchange refused, or no answer arrived. */
  readonly kind: 'refused' | 'lost';
  readonly message: string;
  readonly attempts: number;
  readonly idempotencyKey?: string | null | undefined;
  /** Only for a refusal. */
  readonly code?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly requestId?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly unknown[];
  readonly members?: Readonly<Record<string, unknown>>;
  /** Only for a lost answer: the last failure. */
  readonly cause?: string;
  /** Everything that the language prints of the error and of the client, to look for secrets in it. */
  readonly shown: string;
}

/** A failed call, in any language. */
export class ClientFault extends Error {
  readonly details: FaultDetails;

  constructor(details: FaultDetails) {
    super(details.message);
    this.details = details;
  }
}

/** What the network does with an attempt. */
export type Step =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly body: string;
    }
  /** The connection breaks, with the message `connection lost`. */
  | { readonly kind: 'break' }
  /** No answer ever comes. */
  | { readonly kind: 'hang' };

/** A client and the script that its network follows. */
export interface Play {
  readonly steps: readonly Step[];
  /** The result of `random`. Default: 0. */
  readonly random?: number;
  readonly calls: readonly DrivenCall[];
}

export interface ClientRequest {
  readonly method: string;
  readonly key: string | null;
  readonly body: string | null;
}

export interface ScriptResult {
  readonly outcomes: readonly ({ readonly value: unknown } | { readonly fault: FaultDetails })[];
  readonly sent: readonly ClientRequest[];
  /** The time of each attempt that hung and each wait, in milliseconds, in order. */
  readonly slept: readonly number[];
}

export interface ClientLanguage {
  readonly name: string;
  connect(settings: DrivenSettings): DrivenClient;
  play(play: Play): Promise<ScriptResult>;
  /** The names of the operations that it has, as the document spells them. */
  listOperations(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export const answer = (body: unknown, status = 200, headers: Record<string, string> = {}): Step => ({
  kind: 'answer',
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** An answer that does not come from the exchange but from a proxy or gateway before it. */
export const between = (body: string, status: number): Step => ({ kind: 'answer', status, headers: {}, body });

/** A refusal of the exchange. */
export function refuse(code: string, status: number, retryable: boolean, headers: Record<string, string> = {}): Step {
  const problem = { code, status, retryable, detail: 'why', title: code, requestId: 'r-1', type: 'about:blank' };
  return answer(problem, status, headers);
}

export const breakOff: Step = { kind: 'break' };
export const hang: Step = { kind: 'hang' };
