const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** The label of a field for a time, which names the reader's zone. */
export const labelTime = (label: string) => `${label}, ${timeZone}`;

/** A time as a field of the page takes it: without a zone, in that of the reader. */
export function toField(time_ms: number): string {
  return new Date(time_ms - new Date(time_ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
