import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly name: string;
  /** What it is of, below its name. */
  readonly meaning?: string;
  readonly isNumber?: boolean;
  /** What is done with the row, which needs no heading for who looks. */
  readonly isStep?: boolean;
  /**
   * On a narrow screen: beside the name of the row, below it without a name of its own (there first, last or at the end of
   * the first one's line), beside another below its name, nowhere, or, a step, by the whole row.
   */
  readonly narrow?: 'beside' | 'bare' | 'bare first' | 'bare end' | 'bare last' | 'half' | 'nowhere' | 'by-row';
  readonly show: (row: Row) => ComponentChildren;
}

/**
 * A table of records, which is a list of cards on a narrow screen unless it is small enough to stay a table. Where there
 * are none, it says what that means.
 */
export function Records<Row>({
  label,
  rows,
  keyOf,
  columns,
  empty,
  isSmall = false,
  groupOf,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The first names the row. */
  readonly columns: readonly Column<Row>[];
  readonly empty: ComponentChildren;
  readonly isSmall?: boolean;
  /** The heading above the rows that follow each other and have the same. */
  readonly groupOf?: (row: Row) => string;
}) {
  const groups = groupOf && rows.map(groupOf);
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <table class={isSmall ? 'records small' : 'records'} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, meaning, isNumber, isStep, narrow }) => (
            <th
              key={name}
              scope="col"
              class={`${isNumber ? 'number' : ''} ${narrow === 'nowhere' ? narrow : ''}`.trim() || undefined}
            >
              {isStep ? <span class="hidden">{name}</span> : name}
              {meaning && <small class="below">{meaning}</small>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => [
          groups && groups[index] !== groups[index - 1] && (
            <tr key={groups[index]} class="heads">
              <th scope="rowgroup" colSpan={columns.length}>
                {groups[index]}
              </th>
            </tr>
          ),
          <tr key={keyOf(row)}>
            {columns.map(({ name, isNumber, isStep, narrow = '', show }, place) =>
              place === 0 ? (
                <th key={name} scope="row">
                  {show(row)}
                </th>
              ) : (
                <td
                  key={name}
                  data-name={!isSmall && (!narrow || narrow === 'half') && !isStep ? name : undefined}
                  class={`${isStep ? 'does' : isNumber ? 'number' : ''} ${narrow}`.trim() || undefined}
                >
                  {show(row)}
                </td>
              ),
            )}
          </tr>,
        ])}
      </tbody>
    </table>
  );
}

/** The column with the way on, by the page of each row. */
export const actColumn = <Row,>(name: string, pathOf: (row: Row) => string): Column<Row> => ({
  name,
  isStep: true,
  show: (row) => (
    <a class="act" href={pathOf(row)}>
      {name}
    </a>
  ),
});

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
