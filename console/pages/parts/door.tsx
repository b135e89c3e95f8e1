import type { ComponentChildren } from 'preact';

/** A page for who is not signed in: one card with one thing to do. */
export function Door({
  title,
  isFirst = false,
  children,
}: {
  readonly title: string;
  /** Whether somebody may not know yet what this is. */
  readonly isFirst?: boolean;
  readonly children: ComponentChildren;
}) {
  document.title = `${title} · Bureau`;
  return (
    <main class="door">
      <div>
        <p class="brand">Bureau</p>
        {isFirst && (
          <p>Buy and sell coins at once, at a price that you see first. Hold them, or send them where you want.</p>
        )}
      </div>
      <section class="card">
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  );
}
