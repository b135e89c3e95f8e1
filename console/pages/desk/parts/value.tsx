import { showAmount, showTime } from '../../format.ts';

const DECIMAL = /^-?\d+(\.\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value of a request or a record, for people. */
export function Value({ of }: { readonly of: unknown }) {
  if (of === undefined || of === null) return <>not set</>;
  if (typeof of === 'boolean') return <>{of ? 'yes' : 'no'}</>;
  if (typeof of === 'number') return <>{String(of)}</>;
  if (typeof of === 'string') return <>{DECIMAL.test(of) ? showAmount(of) : TIME.test(of) ? showTime(of) : of}</>;
  if (Array.isArray(of)) return <>{of.length === 0 ? 'none' : of.join(', ')}</>;
  return (
    <>
      {Object.entries(of).map(([name, value], at) => (
        <span key={name}>
          {at > 0 && ', '}
          {name}: <Value of={value} />
        </span>
      ))}
    </>
  );
}
