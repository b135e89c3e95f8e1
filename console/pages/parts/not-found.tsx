/** What an unknown address shows: itself, and the way to the pages, the first of them before all others. */
export function NotFound({ pages }: { readonly pages: readonly (readonly [path: string, name: string])[] }) {
  return (
    <section class="card">
      <p class="breaks">
        There is no page at <strong>{location.pathname}</strong>. The address may have been mistyped, or the page has
        moved.
      </p>
      <div class="side-by-side">
        {pages.map(([path, name], at) => (
          <a key={path} href={path} class={at === 0 ? 'main' : undefined}>
            {name}
          </a>
        ))}
      </div>
    </section>
  );
}
