/** What a page shows of a record that is not there, with the search that finds what else has the id. */
export function NoRecord({ kind, id }: { readonly kind: string; readonly id: string }) {
  return (
    <section class="card" role="alert">
      <p class="breaks">
        There is no {kind} with the id <code>{id}</code>. It may be the id of something else, such as{' '}
        {kind === 'withdrawal' ? 'a deposit' : 'a withdrawal'}.
      </p>
      <div class="side-by-side">
        <a class="main" href={`/desk/search?q=${encodeURIComponent(id)}`}>
          Search for this id
        </a>
      </div>
    </section>
  );
}
