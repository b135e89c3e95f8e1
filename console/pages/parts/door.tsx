import type { ComponentChildren } from 'preact';

/** A page for who is not signed in: one card in the middle, with one thing to do. */
export function Door({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  document.title = `${title} · Bureau`;
  return (
    <main class="door">
      <p class="brand">Bureau</p>
      <section class="card">
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  );
}
