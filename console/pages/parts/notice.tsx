import type { ComponentChildren } from 'preact';
import { BureauError } from '../../../clients/bureau-client/src/errors.ts';
import type { LoadState } from '../load.ts';

/** A fault in the API's own words, with the id under which it was recorded. */
export function Fault({ error }: { readonly error: unknown }) {
  if (error instanceof DOMException) {
    return (
      <p class="notice bad" role="alert">
        The passkey was not used. Try again, or use another device.
      </p>
    );
  }
  if (!(error instanceof BureauError)) {
    return (
      <p class="notice bad" role="alert">
        The exchange did not answer. Check your connection, and try again.
      </p>
    );
  }
  return (
    <div class="notice bad" role="alert">
      <p>{error.detail}</p>
      {error.errors.length > 0 && (
        <ul>
          {error.errors.map(({ pointer, detail }) => (
            <li key={pointer}>
              {pointer.replace('/', '')} {detail}
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        {error.code}, request {error.requestId}
      </p>
    </div>
  );
}

/** What was read, or that it is on its way, or why it is not here. */
export function Shown<T>({
  loaded,
  children,
}: {
  readonly loaded: LoadState<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  if (loaded.state === 'waiting') return <p class="waiting">Reading …</p>;
  if (loaded.state === 'failed') return <Fault error={loaded.error} />;
  return <>{children(loaded.value)}</>;
}
