import { z } from 'zod';
import { digestInHex } from '../platform/digest.ts';
import { type Statement, onlyRow, readBatch } from './statement.ts';

/** The tables whose rows are digested. Rows are added to them and never change. */
export const chains = ['transfers', 'audit'] as const;

export type ChainName = (typeof chains)[number];

/** How a table is digested. A link of the chain covers several parts, each read in one short statement. */
interface Chain {
  /** SQL for a row as text: all columns, written so that different rows never give the same text. */
  readonly row: string;
  readonly rowsPerPart: number;
  readonly partsPerLink: number;
}

export type Chains = Readonly<Record<ChainName, Chain>>;

/** A link over every 5,000 transfers, and over every 100 rows of the audit. */
export const CHAINS: Chains = {
  transfers: {
    row: 'json_array(id, debit, credit, asset, CAST(amount AS TEXT), kind, reference, ts)',
    rowsPerPart: 2_500,
    partsPerLink: 2,
  },
  audit: {
    row: 'json_array(id, ts, role, action, target, detail, actor, proposal, request)',
    rowsPerPart: 100,
    partsPerLink: 1,
  },
};

export const ChainPosition = z.object({
  after: z.int(),
  links: z.int(),
  digest: z.string(),
  /** The digests of the parts of the next link that were read so far. */
  parts: z.array(z.string()),
});

export type ChainPosition = z.output<typeof ChainPosition>;

export const CHAIN_START: ChainPosition = { after: 0, links: 0, digest: '', parts: [] };

/** A link of a chain: the digest of the previous link and of the rows after it, up to row number `upTo`. */
export interface Link {
  readonly number: number;
  readonly upTo: number;
  readonly digest: string;
}

interface PartRow {
  readonly rows: number;
  readonly last: number | null;
  readonly text: string | null;
}

export interface ChainPart {
  readonly next: ChainPosition;
  readonly link: Link | null;
  readonly duration_ms: number;
}

/**
 * Computes the next part of a chain: the SHA-256 of its rows. The last part of a link also gives the link: the SHA-256
 * of the previous link and all its parts. Returns `null` while the table has too few new rows for a part; seeing that
 * reads one row. Throws when D1 fails.
 */
export async function computePart(
  database: D1Database,
  name: ChainName,
  position: ChainPosition,
  { row, rowsPerPart, partsPerLink }: Chain,
): Promise<ChainPart | null> {
  const text = `SELECT count(*) AS rows, max(id) AS last, group_concat(text, char(10)) AS text
    FROM (
      SELECT id, ${row} AS text FROM ${name}
      WHERE id > ?1 AND (SELECT max(id) FROM ${name}) >= ?1 + ?2 ORDER BY id LIMIT ?2)`;
  const next: Statement<PartRow> = { text, values: [position.after, rowsPerPart] };
  const { rows, duration_ms } = await readBatch(database, [next]);
  const read = onlyRow(rows[0]);
  if (read.rows < rowsPerPart || read.last === null || read.text === null) return null;
  const parts = [...position.parts, await digestInHex(read.text)];
  if (parts.length < partsPerLink) return { next: { ...position, after: read.last, parts }, link: null, duration_ms };
  const digest = await digestInHex([position.digest, ...parts].join(' '));
  const link: Link = { number: position.links + 1, upTo: read.last, digest };
  return { next: { after: read.last, links: link.number, digest, parts: [] }, link, duration_ms };
}
