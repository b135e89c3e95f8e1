import { writeCsvLine } from '../../../../src/http/csv.ts';

/** A line of CSV, in which a text may go over several. */
const LINE = /(?:"[^"]*"|[^"\r\n])+\r\n/g;
const ID_LENGTH = 36;

const idOf = (line: string) => line.slice(0, ID_LENGTH);

const lengthen = (line: string, cell: string | undefined) => `${line.slice(0, -2)},${writeCsvLine([cell])}`;

/**
 * The accounts of one or more exports, each once, with a column more: the e-mail of the holder, as `read` finds it by ids.
 * Each line begins with the id of its account.
 */
export async function addEmailColumn(
  exports: readonly string[],
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<string> {
  const [header = ''] = exports[0]?.match(LINE) ?? [];
  const rows = exports.flatMap((csv) => (csv.match(LINE) ?? []).slice(1));
  const lines = [...new Map(rows.map((line) => [idOf(line), line])).values()];
  const emails = await read(lines.map(idOf));
  return [lengthen(header, 'email'), ...lines.map((line) => lengthen(line, emails.get(idOf(line))))].join('');
}
