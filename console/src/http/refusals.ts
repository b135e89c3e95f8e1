import { type Refusal as ExchangeRefusal, refuse, answerProblem } from '../../../src/http/answer.ts';
import type { ConsoleContext } from './context.ts';

/** What only the console refuses with. The exchange's refusals are passed on in its own words. */
const ownProblems = {
  not_signed_in: { status: 401, title: 'Not signed in' },
  sign_in_refused: { status: 401, title: 'Sign-in refused' },
  passkey_needed: { status: 403, title: 'Passkey needed' },
  second_factor_needed: { status: 403, title: 'Two-factor authentication needed' },
  link_not_valid: { status: 403, title: 'Link not valid' },
  mail_not_sent: { status: 502, title: 'Mail not sent' },
} as const;

type OwnCode = keyof typeof ownProblems;

/** A refusal that only the console gives. */
interface OwnRefusal {
  readonly ok: false;
  readonly code: OwnCode;
  readonly detail: string;
}

export type Refusal = ExchangeRefusal | OwnRefusal;

/** The result of a step: its value, or the refusal that ends the request. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | Refusal;

function refuseHere(code: OwnCode, detail: string): OwnRefusal {
  return { ok: false, code, detail };
}

export const notSignedIn = refuseHere('not_signed_in', 'Sign in first.');

/** One answer for every passkey that does not open the console, so that it tells nothing about accounts. */
export const signInRefused = refuseHere('sign_in_refused', 'This passkey does not open the console. Try again.');

export const passkeyNeeded = refuseHere(
  'passkey_needed',
  'Use your passkey first: it was last used over 5 minutes ago.',
);

export const secondFactorNeeded = refuseHere(
  'second_factor_needed',
  'Switch two-factor authentication on first: the console sends no withdrawal without it.',
);

export const linkNotValid = refuseHere(
  'link_not_valid',
  'The link was used, is too old, or was asked for in another browser. Ask for a new one.',
);

export const freezeLinkNotValid = refuseHere(
  'link_not_valid',
  'The link is too old. Ask for a link at the sign-in: it lets you freeze the account as well.',
);

export const invitationNotMailed = refuseHere(
  'mail_not_sent',
  'The invitation stands, but its mail was not sent. Invite the same address again: that needs nobody else.',
);

export const foreignOrigin = refuse('invalid_origin', 'A change must come from the console: send its own Origin.');

export const notFound = refuse('not_found', 'There is nothing at this path.');

export const tooManySignIns = refuse(
  'rate_limited',
  'Too many attempts from this address or its network in a minute. Wait.',
  { retryAfterSeconds: 60 },
);

export const tooManyCalls = refuse(
  'rate_limited',
  'Too many requests from this address or its network in a minute. Wait.',
  { retryAfterSeconds: 60 },
);

/** Answers a refusal as problem+json (RFC 9457), with the request's id. */
export function sendRefusal(c: ConsoleContext, refusal: Refusal): Response {
  const { requestId } = c.var;
  if (!isOwn(refusal)) {
    const { status, headers, body } = answerProblem(refusal, { requestId, url: c.req.url, path: c.req.path });
    // The exchange's hint how to send a key is not for browsers.
    const { 'WWW-Authenticate': _hint, ...shown } = headers;
    return new Response(body, { status, headers: { ...shown, 'X-Request-Id': requestId } });
  }
  const { code, detail } = refusal;
  const { status, title } = ownProblems[code];
  const problem = {
    type: 'about:blank',
    title,
    status,
    detail,
    instance: c.req.path,
    code,
    requestId,
    retryable: false,
  };
  return new Response(JSON.stringify(problem), {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
    },
  });
}

function isOwn(refusal: Refusal): refusal is OwnRefusal {
  return Object.hasOwn(ownProblems, refusal.code);
}
