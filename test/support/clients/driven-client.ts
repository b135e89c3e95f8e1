import type { Scenario } from '../../../src/sandbox/scenario.ts';

/** What a call may have of its own, in every client. */
export interface DrivenOptions {
  readonly idempotencyKey?: string;
  readonly requestId?: string;
  readonly attempts?: number;
  readonly timeoutMs?: number;
  readonly totalMs?: number;
}

/** A call of an operation of the document by its `operationId`, with what stands where. */
export interface DrivenCall {
  readonly operation: string;
  /** The values of the path, in order. */
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  readonly options?: DrivenOptions;
}

/** How a client is made. */
export interface DrivenSettings {
  readonly origin: string;
  readonly apiKey?: string | undefined;
  /** How often a call is sent at most, and no random part of a wait. */
  readonly attempts?: number;
  /** The scenario of the sandbox that all requests name. */
  readonly scenario?: Scenario | undefined;
}

/** A list that a client walks through. */
export type DrivenList = 'orders' | 'withdrawals' | 'transactions';

/** A client in whatever language, of which the same is expected. Calls reject with a `ClientFault`. */
export interface DrivenClient {
  call(call: DrivenCall): Promise<unknown>;
  /** Every row of a list. */
  walk(list: DrivenList, pageSize?: number): Promise<unknown[]>;
}

/** What every client tells of a call that ended badly, under the same names. */
export interface FaultDetails {
  /** Whether the exchange refused, or no word of it arrived. */
  readonly kind: 'refused' | 'lost';
  readonly message: string;
  readonly attempts: number;
  readonly idempotencyKey?: string | null | undefined;
  /** Of a refusal. */
  readonly code?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly requestId?: string;
  readonly retryable?: boolean;
  readonly errors?: readonly unknown[];
  readonly members?: Readonly<Record<string, unknown>>;
  /** Of a loss: the last failure. */
  readonly cause?: string;
  /** Everything that the language shows of the error and of the client, to look for secrets in. */
  readonly shown: string;
}

/** A call that ended badly, in whatever language. */
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

/** A client that is played a script. */
export interface Play {
  readonly steps: readonly Step[];
  /** What `random` gives, 0 unless told. */
  readonly random?: number;
  readonly calls: readonly DrivenCall[];
}

/** A request as it left the client. */
export interface Sent {
  readonly method: string;
  readonly key: string | null;
  readonly body: string | null;
}

/** What came of a script. */
export interface Played {
  readonly outcomes: readonly ({ readonly value: unknown } | { readonly fault: FaultDetails })[];
  readonly sent: readonly Sent[];
  /** The time of each attempt that hung and each wait, in milliseconds, in order. */
  readonly slept: readonly number[];
}

/** A language's client. */
export interface ClientLanguage {
  readonly name: string;
  connect(settings: DrivenSettings): DrivenClient;
  play(play: Play): Promise<Played>;
  /** The names of the operations that it has, as the document spells them. */
  listOperations(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** An answer of the exchange. */
export const answer = (body: unknown, status = 200, headers: Record<string, string> = {}): Step => ({
  kind: 'answer',
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** What something between the client and the exchange answers. */
export const between = (body: string, status: number): Step => ({ kind: 'answer', status, headers: {}, body });

/** A refusal of the exchange. */
export function refuse(code: string, status: number, retryable: boolean, headers: Record<string, string> = {}): Step {
  const problem = { code, status, retryable, detail: 'why', title: code, requestId: 'r-1', type: 'about:blank' };
  return answer(problem, status, headers);
}

export const breakOff: Step = { kind: 'break' };
export const hang: Step = { kind: 'hang' };
