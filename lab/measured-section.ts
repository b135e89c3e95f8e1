/** Writes rows as a table in Markdown. The members of the first row name the columns. Throws without a row. */
export function formatTable(rows: readonly object[]): string[] {
  const [first] = rows;
  if (!first) throw new Error('nothing was measured');
  const columns = Object.keys(first);
  return [
    showCells(columns),
    `|${'---|'.repeat(columns.length)}`,
    ...rows.map((row) => showCells(Object.values(row as Record<string, string>))),
  ];
}

/**
 * Replaces the figures of the last run in a section of a document: a paragraph that begins with "Measured on" and a
 * date, and a table, right after the heading. Everything written by hand stays. Throws when the document has no such
 * section.
 */
export function writeMeasured(document: string, heading: string, lines: readonly string[]): string {
  const written = new RegExp(`^(## ${heading}\\n)(?:\\nMeasured on .+\\n(?:.+\\n)*\\n(?:\\|.*\\n)+)?`, 'm');
  if (!written.test(document)) throw new Error(`the document has no heading "## ${heading}"`);
  return document.replace(written, (_, line: string) => `${line}\n${lines.join('\n')}\n`);
}

function showCells(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

export function showDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}
