const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A time of the API for people, in their own zone. */
export function showTime(iso: string): string {
  return time.format(new Date(iso));
}

/** A plain decimal with its thousands apart, to the digit: it is never read as a number. */
export function showAmount(decimal: string): string {
  const [whole = '0', fraction] = decimal.split('.');
  const grouped = whole.replace('-', '−').replaceAll(/\B(?=(\d{3})+$)/g, '\u202F');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A price for the eye: to the cent, and a small one to five digits that count. What is to be exact is shown as an amount. */
export function showPrice(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  if (whole !== '0') return showAmount(`${whole}.${fraction.slice(0, 2).padEnd(2, '0')}`);
  const counted = (/^0*\d{0,5}/.exec(fraction)?.[0] ?? '').replace(/0+$/, '');
  return showAmount(counted === '' ? whole : `${whole}.${counted}`);
}

/** A value, always with two decimals. What is less than a cent is said to be so. */
export function showCents(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  if (/^0*$/.test(whole) && /^00\d*[1-9]/.test(fraction)) return '< 0.01';
  return `${showAmount(whole)}.${fraction.slice(0, 2).padEnd(2, '0')}`;
}

/** The class of a change: one that is shown as nothing is neither up nor down. */
export function directionOf(fraction: number): 'up' | 'down' | undefined {
  if (Number((fraction * 100).toFixed(2)) === 0) return undefined;
  return fraction < 0 ? 'down' : 'up';
}

/** A change of price, such as 0.0234 for +2.34 %; its sign says in which direction, not the colour alone. */
export function showChange(fraction: number): string {
  const signs = { up: '+', down: '−', none: '' };
  return `${signs[directionOf(fraction) ?? 'none']}${Math.abs(fraction * 100).toFixed(2)}\u202F%`;
}

/** A secret in groups of four, as it is easiest to type. */
export function inGroups(text: string): string {
  return (text.match(/.{1,4}/g) ?? []).join(' ');
}

/** `ONCHAIN_WITHDRAWAL` as "Onchain withdrawal", and `accountId` as "Account id". */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `withdrawal.failed` as "Withdrawal failed". */
export function nameEvent(type: string): string {
  return inWords(type.replaceAll('.', '_'));
}

const movements: Readonly<Record<string, string>> = {
  SPOT_BUY: 'Bought',
  SPOT_SELL: 'Sold',
  P2P_BUY: 'Bought from another holder',
  P2P_SELL: 'Sold to another holder',
  QUICK_BUY: 'Bought from the exchange',
  QUICK_SELL: 'Sold to the exchange',
  ONCHAIN_DEPOSIT: 'Deposit',
  INTERNAL_DEPOSIT: 'Credit',
  ONCHAIN_WITHDRAWAL: 'Withdrawal',
  INTERNAL_WITHDRAWAL: 'Sent within the exchange',
};

/** What happened, as a holder would say it. */
export function nameMovement(type: string): string {
  return movements[type] ?? inWords(type);
}
