import type { Payout } from '../../../../src/custody/custody.ts';

export type CustodianAct =
  /** Pays, if it has not paid or refused this id before: the default of a submission. */
  | 'pay'
  /** Accepts it, and pays when the test says so. */
  | 'accept'
  | 'refuse'
  /** Replaces the transaction: the same payout under another hash. */
  | 'rehash'
  /** Changes nothing: the default of a look-up. */
  | 'nothing';

/** How the custodian answers: correctly, or with one of the faults of custodians. */
export type CustodianAnswer =
  /** The payout's state, with the right status. */
  | 'state'
  /** The same as the answer to a second submission, with 409. */
  | 'duplicate'
  /** 409, without the state of the first one. */
  | 'silent_duplicate'
  /** Answers that it has never seen the payout, whatever it did. */
  | 'never_seen'
  | 'error'
  | 'hang'
  /** Headers and half a body, then nothing more. */
  | 'stall'
  | 'reset'
  /** A web page with status 200, as a proxy in front of the custodian may answer. */
  | 'html'
  /** The state, with its end cut off. */
  | 'truncated'
  | 'huge'
  | 'redirect'
  /** This answer, word for word. */
  | { readonly status: number; readonly body: string };

/** How the custodian must treat requests. Of several that match, the first that has times left is used. */
export interface CustodianProgramme {
  /** `PUT` is a submission, `GET` a look-up; both by default. */
  readonly method?: 'PUT' | 'GET';
  /** Only this withdrawal; any by default. */
  readonly withdrawalId?: string;
  /** For this many requests; 1 by default. `null` is for all from now on. */
  readonly times?: number | null;
  readonly act?: CustodianAct;
  readonly answer?: CustodianAnswer;
  /** Waits this long before it acts, also when the caller has gone by then. */
  readonly delay_ms?: number;
  /** Acts once a look-up of the same withdrawal has been answered. */
  readonly afterLookup?: boolean;
}

/** The custodian's entry of one withdrawal's id. */
export interface CustodianPayout {
  readonly payout: Payout;
  readonly status: 'sent' | 'accepted' | 'refused';
  readonly txHash: string | null;
  readonly reason: string | null;
  /** How often it was paid; more than once is a fault. */
  readonly payments: number;
}

/** Everything that a test can read about the custodian. */
export interface CustodianReport {
  readonly payouts: readonly CustodianPayout[];
  /** Refused requests, by reason. */
  readonly rejections: readonly string[];
  /** Requests with a good signature, by withdrawal id, whether the custodian acted on them or not. */
  readonly requests: Readonly<Record<string, CustodianRequests>>;
}

export interface CustodianRequests {
  readonly submissions: number;
  readonly lookups: number;
}

/** What a test changes by hand: an accepted payout is paid, or refused after all. */
export interface CustodianDecision {
  readonly withdrawalId: string;
  readonly act: 'pay' | 'refuse' | 'rehash';
}
