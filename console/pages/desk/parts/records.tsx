import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly show: (row: Row) => ComponentChildren;
}

/** A table of records, which is a list of cards on a narrow screen. Where there are none, it says what that means. */
export function Records<Row>({
  label,
  rows,
  keyOf,
  columns,
  empty,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The first names the row. */
  readonly columns: readonly Column<Row>[];
  readonly empty: ComponentChildren;
}) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <table class="records" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" class={isNumber ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, isNumber, show }, at) =>
              at === 0 ? (
                <th key={name} scope="row">
                  {show(row)}
                </th>
              ) : (
                <td key={name} data-name={name} class={isNumber ? 'number' : undefined}>
                  {show(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Names with their values. What has none, `null`, is not named. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  const known = of.filter(([, value]) => value !== null);
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
