import { useState } from 'preact/hooks';
import type { Column } from './records.tsx';

/** Which rows of a list are open, and the column with the button that opens one and closes it. */
export function useOpenRows<Row>(keyOf: (row: Row) => string): {
  readonly isOpen: (row: Row) => boolean;
  readonly details: Column<Row>;
} {
  const [open, setOpen] = useState<readonly string[]>([]);
  const toggle = (key: string) =>
    setOpen((known) => (known.includes(key) ? known.filter((one) => one !== key) : [...known, key]));
  const isOpen = (row: Row) => open.includes(keyOf(row));
  return {
    isOpen,
    details: {
      name: 'Details',
      isStep: true,
      show: (row) => (
        <button
          type="button"
          class="more"
          aria-label="Details"
          aria-expanded={isOpen(row)}
          onClick={() => toggle(keyOf(row))}
        />
      ),
    },
  };
}
