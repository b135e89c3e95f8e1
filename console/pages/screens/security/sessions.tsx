import { ask } from '../../ask.ts';
import { nameBrowser } from '../../browser-name.ts';

import { useLoaded } from '../../load.ts';
import { Form } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';

interface ListedSession {
  readonly id: string;
  readonly level: 'look' | 'act';
  readonly agent: string;
  /** Where the sign-in came from; `null` where it is not known. */
  readonly place: string | null;
  readonly isThis: boolean;
  readonly createdAt: string;
  readonly usedAt: string;
}

/** The browsers that are signed in, each with the button that signs it out. */
export function Sessions() {
  const { loaded, reload } = useLoaded(() => ask<{ sessions: ListedSession[] }>('GET', '/session/list'));
  return (
    <section class="card">
      <h2>Where you are signed in</h2>
      <Shown loaded={loaded}>
        {({ sessions }) => (
          <ul class="plain">
            {sessions.map((session) => (
              <li key={session.id} class="entry">
                <div class="title">
                  <strong title={session.agent}>{nameBrowser(session.agent)}</strong>
                  {!session.isThis && (
                    <Form
                      danger
                      label="Sign it out"
                      about={nameBrowser(session.agent)}
                      act={async () => {
                        await ask('DELETE', `/session/list/${session.id}`);
                        reload();
                      }}
                    />
                  )}
                </div>
                {session.place !== null && <p>{session.place}</p>}
                <p class="quiet">
                  {session.isThis ? (
                    'This browser'
                  ) : (
                    <>
                      Last used <Time at={session.usedAt} />
                    </>
                  )}
                  , signed in{session.level === 'look' && ' by a link'} <Time at={session.createdAt} />
                </p>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </section>
  );
}
