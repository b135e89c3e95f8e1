/** Something to do once, and why. */
export interface ListedStep {
  readonly name: string;
  readonly why: string;
  readonly isDone: boolean;
  /** Where it is done; `undefined` for what cannot be done yet. */
  readonly path: string | undefined;
}

/** What is to be done, after what is done already. The first that is left stands out. */
export function Checklist({ steps }: { readonly steps: readonly ListedStep[] }) {
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <ol class="plain checklist">
      {[...steps.filter(({ isDone }) => isDone), ...steps.filter(({ isDone }) => !isDone)].map((step) => (
        <li key={step.name} class={step.isDone ? 'done' : step.path === undefined ? 'later' : undefined}>
          <div>
            {step.isDone || step.path === undefined || step === next ? (
              <strong>{step.name}</strong>
            ) : (
              <a href={step.path}>{step.name}</a>
            )}
            {step.isDone ? <span class="hidden">, done</span> : <p class="quiet">{step.why}</p>}
          </div>
          {step === next && step.path !== undefined && (
            <div class="side-by-side">
              <a class="main" href={step.path}>
                Start<span class="hidden">: {step.name}</span>
              </a>
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}
