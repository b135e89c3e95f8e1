import { useState } from 'preact/hooks';
import { readText } from '../../ask.ts';
import { Choice, Form, TextField } from '../../parts/form.tsx';
import { saveFile } from '../../save-file.ts';

const DAY_MS = 86_400_000;

const periods = [
  ['30', 'last 30 days'],
  ['this', 'this year'],
  ['last', 'last year'],
  ['days', 'other days'],
] as const;

/** The calendar day of a time, in UTC, as a date field has it. */
function dayOf(time_ms: number): string {
  return new Date(time_ms).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The first and the last day of a period. */
function daysOf(period: '30' | 'this' | 'last'): readonly [from: string, until: string] {
  const today = dayOf(Date.now());
  if (period === '30') return [dayOf(Date.now() - 30 * DAY_MS), today];
  const year = Number(today.slice(0, 'YYYY'.length)) - (period === 'last' ? 1 : 0);
  return [`${year}-01-01`, period === 'last' ? `${year}-12-31` : today];
}

/** Opening balances, every movement and closing balances of some days, as a file. */
export function StatementForm() {
  const [period, setPeriod] = useState<(typeof periods)[number][0]>('30');
  const [[from, to], setDays] = useState(() => daysOf('30'));
  const [format, setFormat] = useState<'csv' | 'json' | 'tax'>('csv');
  const choose = (chosen: typeof period) => {
    setPeriod(chosen);
    if (chosen !== 'days') setDays(daysOf(chosen));
  };
  const download = async () => {
    const end_ms = Date.parse(to) + DAY_MS;
    const query = new URLSearchParams({ from: `${from}T00:00:00Z`, format });
    if (end_ms < Date.now()) query.set('to', new Date(end_ms).toISOString());
    // Read whole before it is stored: a statement that breaks off is refused here, and nobody takes it for whole.
    const text = await readText(`/api/v1/account/statement?${query.toString()}`);
    const [kind, type] = format === 'json' ? ['json', 'application/json'] : ['csv', 'text/csv'];
    saveFile(`${format === 'tax' ? 'tax' : 'statement'}-${from}-${to}.${kind}`, text, type);
  };
  return (
    <section class="card">
      <h2>Statement</h2>
      <p>
        A file with your balances at the beginning and the end of a period, and every movement between them. Days begin
        at midnight UTC.
      </p>
      <Form act={download} label="Download the statement">
        <div class="row">
          <Choice label="Period" value={period} set={choose} options={periods} />
          {period === 'days' && (
            <>
              <TextField label="From" type="date" required value={from} set={(day) => setDays([day, to])} />
              <TextField label="Until, included" type="date" required value={to} set={(day) => setDays([from, day])} />
            </>
          )}
          <Choice
            label="Format"
            value={format}
            set={setFormat}
            options={[
              ['csv', 'CSV, for a spreadsheet'],
              ['tax', 'CSV, for tax programs'],
              ['json', 'JSON'],
            ]}
          />
        </div>
      </Form>
    </section>
  );
}
