import type { ComponentChildren } from 'preact';
import { BureauError } from '../../../clients/bureau-client/src/errors.ts';
import { isRefusal, isSignedOut } from '../ask.ts';
import type { LoadState } from '../load.ts';

/** Refusals that say to a program what a person is to be told in other words. */
const words: Readonly<Record<string, string>> = {
  insufficient_scope: 'Sign in with your passkey to do this.',
  account_recovered:
    'The account was recovered a short time ago. For 24 hours it takes no withdrawal, new API key or new address.',
  rate_limited: 'That was too fast. Wait a moment, and try again.',
  price_limit_exceeded: 'The price moved further than you allowed before the order filled. Nothing was traded.',
  price_unavailable: 'There is no price to trade at just now. Nothing was traded; try again in a moment.',
  idempotency_key_reused:
    'This was already sent in another form. Load the page again, and look at your activity first.',
  outcome_unknown: 'It is not known yet whether this was done. Press again: it is never done twice.',
  service_unavailable: 'The exchange is busy. Try again in a moment.',
  internal_error: 'Something went wrong at the exchange. Try again, and tell it the details below if it stays.',
};

/** Refusals of an amount, which are told beside its field. */
const ofAmounts: ReadonlySet<string> = new Set([
  'amount_above_maximum',
  'amount_below_minimum',
  'insufficient_balance',
  'precision_exceeded',
]);

/** Why an amount was refused; `undefined` if it was not, or for another reason. */
export function tellOfAmount(error: unknown): string | undefined {
  return error instanceof BureauError && ofAmounts.has(error.code) ? error.detail : undefined;
}

function Notice({ children, details }: { readonly children: ComponentChildren; readonly details?: string }) {
  return (
    <div class="notice bad" role="alert">
      {children}
      {details !== undefined && (
        <details class="plain-details">
          <summary>Details</summary>
          <p class="quiet">{details}</p>
        </details>
      )}
    </div>
  );
}

/** Why something was refused, in words; what a program or the exchange's staff would ask for is folded away. */
export function Fault({ error }: { readonly error: unknown }) {
  if (error instanceof DOMException)
    return <Notice>The passkey was not used. Try again, or use another device.</Notice>;
  if (!(error instanceof BureauError)) {
    return <Notice>The exchange did not answer. Check your connection, and try again.</Notice>;
  }
  if (isSignedOut(error)) {
    return (
      <Notice>
        <p>Your sign-in has ended.</p>
        <button type="button" onClick={() => location.reload()}>
          Sign in again
        </button>
      </Notice>
    );
  }
  return (
    <Notice details={`${error.code}, request ${error.requestId}`}>
      <p>{words[error.code] ?? error.detail}</p>
      {error.errors.length > 0 && (
        <ul>
          {error.errors.map(({ pointer, detail }) => (
            <li key={pointer}>
              {pointer.replace('/', '')} {detail}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

/** What was read, or that it is on its way, or why it is not here. */
export function Shown<T>({
  loaded,
  title,
  absent,
  children,
}: {
  readonly loaded: LoadState<T>;
  /** The heading of a page that cannot be shown, where its own is among what is read. */
  readonly title?: string;
  /** What is shown where nothing failed but the address, which names nothing. */
  readonly absent?: ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}) {
  if (loaded.state === 'waiting') return <Waiting />;
  if (loaded.state === 'here') return <>{children(loaded.value)}</>;
  const { error } = loaded;
  const isAbsent = absent !== undefined && isRefusal(error, 'not_found');
  return (
    <>
      {title && <h1>{isAbsent ? 'Not found' : title}</h1>}
      {isAbsent ? absent : <Fault error={error} />}
    </>
  );
}

/** The place of what is on its way: some grey lines for the eye, a word for who listens. */
export function Waiting() {
  return (
    <div class="waiting" role="status">
      <span class="hidden">Reading …</span>
      <span class="bone" />
      <span class="bone" />
      <span class="bone short" />
    </div>
  );
}
