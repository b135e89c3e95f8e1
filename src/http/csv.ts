const DECIMAL = /^-?\d+(\.\d+)?$/;

/** With what a program for tables may begin to read a formula, also behind a space and in the full width of East Asia. */
const FORMULA = /^\s*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/u;

/**
 * A line of a table in text (RFC 4180). What is no text, number or boolean is written as JSON, and nothing as nothing. A
 * text that a program for tables could take for a formula has an apostrophe before it; a decimal below zero has none. Pure.
 */
export function writeCsvLine(values: readonly unknown[]): string {
  return `${values.map(writeCell).join()}\r\n`;
}

function writeCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = FORMULA.test(text) && !DECIMAL.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
