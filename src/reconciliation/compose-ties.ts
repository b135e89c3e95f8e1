import { z } from 'zod';
import type { Counts, Example, Finding, Invariant, SliceResult } from './invariants.ts';
import type { Leg, RecordKind } from './record-kind.ts';
import { type Range, type Statement, composeOnce, onlyRow, selectRange, unionAll } from './statement.ts';

/** SQL that is true when the transfer `t` is exactly this leg of the record `r`, otherwise false; never NULL. */
export function isLeg(leg: Leg, kind: RecordKind, t: string): string {
  return `(${t}.debit IS ${leg.debit} AND ${t}.credit IS ${leg.credit} AND ${t}.asset IS ${leg.asset}
    AND ${t}.amount IS ${leg.amount} AND ${t}.kind IS ${leg.kind ?? `'${kind.kind}'`}
    AND ${t}.reference IS ${leg.reference ?? 'r.id'})`;
}

interface TieRow {
  readonly name: string;
  readonly records: number;
  readonly last: string | null;
  readonly legs: number;
  /** A pair for each record that differs: an example, and the assets of its legs. */
  readonly faults: string;
  /** The records that the kind's claim is about, and examples of those that do not meet it. */
  readonly about: number;
  readonly exceptions: string;
}

/**
 * Compares each record of a range with the transfers that it names. The result has one row for each kind, with counts
 * and examples; `legs` counts the named transfers up to number `head`.
 */
export function composeTies(kinds: readonly RecordKind[], range: Range, head: number): Statement<TieRow> {
  const sources = kinds.map((kind) => ({ kind, ...selectRange(kind.name, range) }));
  const values = sources[0]?.values ?? [];
  const name = ['rows' in range ? 'ties of a part of' : 'ties of', ...kinds.map((kind) => kind.name)].join(' ');
  const compose = () => unionAll(sources.map(({ kind, text }) => selectTies(kind, text, `?${values.length + 1}`)));
  return { text: composeOnce(name, compose), values: [...values, head] };
}

/** Each condition is in one FILTER, so it is evaluated once for a record; the columns of an example only for a fault. */
function selectTies(kind: RecordKind, source: string, upTo: string): string {
  const faults = kind.legs.map((leg, at) => `(${leg.number} IS NOT NULL AND NOT ${isLeg(leg, kind, `t${at}`)})`);
  const numbers = kind.legs.map(({ number }) => `coalesce(${number} || ' ', '')`).join(' || ');
  const shown = kind.shown.map((column) => `'${column}', r.${column}`).join(', ');
  const example = `json_object('${kind.title}', r.id, 'accountId', r.account_id, ${shown},
    'transfers', coalesce(nullif(trim(${numbers}), ''), 'none'))`;
  const assets = kind.legs.map(({ asset }) => asset).join(', ');
  const counted = kind.counted ?? '1';
  const legs = kind.legs
    .map(({ number }) => `count(*) FILTER (WHERE (${counted}) AND ${number} <= ${upTo})`)
    .join(' + ');
  const { about, broken } = kind.claim ?? { about: '0', broken: '0' };
  return `
      SELECT '${kind.name}' AS name, count(*) AS records, max(r.id) AS last, ${legs} AS legs,
        json_group_array(json_array(${example}, json_array(${assets})))
          FILTER (WHERE ${[`(${kind.odd})`, ...faults].join(' OR ')}) AS faults,
        count(*) FILTER (WHERE ${about}) AS about,
        json_group_array(${example}) FILTER (WHERE (${about}) AND (${broken})) AS exceptions
      FROM ${source} AS r
      ${kind.legs.map(({ number }, at) => `LEFT JOIN transfers AS t${at} ON t${at}.id = ${number}`).join(' ')}`;
}

/** What the check of a range of records found. */
interface TiesVerdict extends Pick<SliceResult, 'checked' | 'findings' | 'untied' | 'legs'> {
  readonly records: number;
  /** The highest id; `null` when the range has no record. */
  readonly last: string | null;
}

/** Reads the row of a kind from those of `composeTies`. Pure. */
export function judgeTies(kind: RecordKind, rows: readonly TieRow[]): TiesVerdict {
  const row = onlyRow(rows.filter(({ name }) => name === kind.name));
  const { invariant } = kind.claim ?? {};
  const checked: Counts = { records_match_transfers: row.records, ...(invariant && { [invariant]: row.about }) };
  const faults = Faults.parse(JSON.parse(row.faults));
  const findings = [
    ...faults.map(([example]): Finding => ({ invariant: 'records_match_transfers', example })),
    ...(invariant ? readExamples(invariant, row.exceptions) : []),
  ];
  const { records, last, legs } = row;
  return { records, last, legs, checked, findings, untied: [...new Set(faults.flatMap(([, assets]) => assets))] };
}

const ShownRecord = z
  .record(z.string(), z.union([z.string(), z.number()]).nullable())
  .transform((example): Example =>
    Object.fromEntries(Object.entries(example).map(([name, value]) => [name, String(value)])),
  );

const ShownRecords = z.array(ShownRecord);
const Assets = z.array(z.string());
const Faults = z.array(z.tuple([ShownRecord, Assets]));

/** Parses a JSON array of examples of a broken invariant into findings. */
export function readExamples(invariant: Invariant, text: string): Finding[] {
  return ShownRecords.parse(JSON.parse(text)).map((example) => ({ invariant, example }));
}

/** Parses a JSON array of assets into a list without repetition. */
export function readUntied(text: string): string[] {
  return [...new Set(Assets.parse(JSON.parse(text)))];
}
