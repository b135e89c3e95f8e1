const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A time of the API for people, in their own zone. */
export function showTime(iso: string): string {
  return time.format(new Date(iso));
}

/** A plain decimal with its thousands apart, to the digit: it is never read as a number. */
export function showAmount(decimal: string): string {
  const [whole = '0', fraction] = decimal.split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, '\u202F');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** The same for a value, always with two decimals. */
export function showCents(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return `${showAmount(whole)}.${fraction.slice(0, 2).padEnd(2, '0')}`;
}

/** A secret in groups of four, as it is easiest to type. */
export function inGroups(text: string): string {
  return (text.match(/.{1,4}/g) ?? []).join(' ');
}

/** `ONCHAIN_WITHDRAWAL` as "Onchain withdrawal". */
export function inWords(name: string): string {
  const words = name.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
