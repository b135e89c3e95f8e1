/** What a screen is told: the rest of the path, by its parts, and the query. */
export interface Place {
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}
