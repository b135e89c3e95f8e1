import { type Answer, type Input, exportCsv, operate, saveCsv } from '../operate.ts';
import type { Operations } from '../schema.d.ts';

/** A page of a list, and where the next one begins. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

/** The operations that answer a page of a list. */
type ListName = {
  [N in keyof Operations]: Answer<N> extends { readonly nextCursor: string | null } ? N : never;
}[keyof Operations];

type RowOf<N extends ListName> = Extract<Answer<N>[Exclude<keyof Answer<N>, 'nextCursor'>], readonly unknown[]>[number];

/** A list that is read a page at a time, and can be exported whole. */
export interface List<Row> {
  readonly read: (cursor: string | undefined) => Promise<Page<Row>>;
  readonly exportAll: () => Promise<void>;
}

/** The list that an operation answers, with what is filled into its path and its filters. */
export function listOf<N extends ListName>(name: N, input: Omit<Input<N>, 'body'>): List<RowOf<N>> {
  const { path = {}, query = {} } = input as { path?: Record<string, string>; query?: Record<string, unknown> };
  return {
    read: async (cursor) => {
      const page = { ...input, query: { ...query, ...(cursor && { cursor }) } };
      const { nextCursor, ...members } = (await operate(name, page as never)) as {
        readonly nextCursor: string | null;
      };
      const [rows] = Object.values(members) as (readonly RowOf<N>[])[];
      return { rows: rows ?? [], nextCursor };
    },
    exportAll: async () => {
      const filled = name
        .replace('get ', '/operator/v1')
        .replaceAll(/\{(\w+)\}/g, (_, place: string) => path[place] ?? '');
      const texts = Object.entries(query).map(([filter, value]) => [filter, String(value)]);
      const filters = Object.fromEntries(texts) as Record<string, string>;
      saveCsv(filled, await exportCsv({ list: filled, query: filters }));
    },
  };
}
