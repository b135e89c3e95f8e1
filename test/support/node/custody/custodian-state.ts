import type { Payout } from '../../../../src/wallet/custody/custody.ts';

/** What the custodian does with a request, before it answers. */
export type CustodianAct =
  /** Pays, if it has not paid or refused this id before: what a submission does unless told. */
  | 'pay'
  /** Takes it on, and pays when the test says so. */
  | 'accept'
  | 'refuse'
  /** Replaces the transaction: the same payout under another hash. */
  | 'rehash'
  /** Leaves everything as it is: what a look-up does unless told. */
  | 'nothing';

/** How the custodian answers: well, or in one of the ways that custodians fail. */
export type CustodianAnswer =
  /** How the payout stands, with the status that fits. */
  | 'state'
  /** The same as the answer to a second submission, with 409. */
  | 'duplicate'
  /** 409, without a word of how the first one stands. */
  | 'silent_duplicate'
  /** Denies any knowledge of the payout, whatever it did. */
  | 'never_seen'
  /** Status 500. */
  | 'error'
  /** No answer ever. */
  | 'hang'
  /** Headers and half a body, then nothing more. */
  | 'stall'
  /** The connection breaks. */
  | 'reset'
  /** A web page with status 200, as a wall in front of the custodian gives. */
  | 'html'
  /** The state, with its end cut off. */
  | 'truncated'
  /** The state in a body of 5 MB. */
  | 'huge'
  /** A redirect to where the same state is given. */
  | 'redirect'
  /** Word for word. */
  | { readonly status: number; readonly body: string };

/** How the custodian is to meet requests. Of several that fit, the first that has times left is used up. */
export interface CustodianProgramme {
  /** `PUT` is a submission, `GET` a look-up; both unless told. */
  readonly method?: 'PUT' | 'GET';
  /** This withdrawal only; any unless told. */
  readonly withdrawalId?: string;
  /** For so many requests; 1 unless told. `null` is for all from now on. */
  readonly times?: number | null;
  readonly act?: CustodianAct;
  readonly answer?: CustodianAnswer;
  /** Waits so long before it acts: also when the caller has gone by then. */
  readonly delay_ms?: number;
}

/** What the custodian holds of one withdrawal's id. */
export interface CustodianPayout {
  readonly payout: Payout;
  readonly status: 'sent' | 'accepted' | 'refused';
  readonly txHash: string | null;
  readonly reason: string | null;
  /** How often it was paid: by the custodian's duty once at most. */
  readonly payments: number;
}

/** Everything that a test may know of the custodian. */
export interface CustodianReport {
  readonly payouts: readonly CustodianPayout[];
  /** Requests that were turned away, by reason. */
  readonly rejections: readonly string[];
  /** Requests with a good signature, by withdrawal id, whether the custodian acted on them or not. */
  readonly requests: Readonly<Record<string, CustodianRequests>>;
}

export interface CustodianRequests {
  readonly submissions: number;
  readonly lookups: number;
}

/** What the tests change by hand: a payout that was accepted is paid, or refused after all. */
export interface CustodianDecision {
  readonly withdrawalId: string;
  readonly act: 'pay' | 'refuse' | 'rehash';
}
