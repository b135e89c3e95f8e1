const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A time of the API for people, in their own zone. */
export function showTime(iso: string): string {
  return time.format(new Date(iso));
}

const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });

/** The same with its zone, such as UTC, for what is kept or shown to others. */
export function showZoned(iso: string): string {
  const name = zone.formatToParts(new Date(iso)).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${showTime(iso)} ${name}`;
}

const timeOfYear = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** The time of something in a list of the newest: without its year, if that is the year of `now`. */
export function showRecent(iso: string, now = new Date()): string {
  const at = new Date(iso);
  return at.getFullYear() === now.getFullYear() ? timeOfYear.format(at) : showTime(iso);
}

const timeToTheSecond = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** The same to the second, where several are made within a minute. */
export function showSecond(iso: string): string {
  return timeToTheSecond.format(new Date(iso));
}

/** A plain decimal with its thousands apart, to the digit: it is never read as a number. */
export function showAmount(decimal: string): string {
  const [whole = '0', fraction] = decimal.split('.');
  const grouped = whole.replace('-', '−').replaceAll(/\B(?=(\d{3})+$)/g, '\u202F');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** How what is shown with fewer digits is found: the nearest, or never more, or never less, than what it is. */
type Rounding = 'near' | 'down' | 'up';

function round(decimal: string, decimals: number, to: Rounding): string {
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.');
  const kept = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  const rest = fraction.slice(decimals);
  const isMore = { near: /^[5-9]/, down: /(?!)/, up: /[1-9]/ }[to].test(rest);
  const digits = String(kept + (isMore ? 1n : 0n)).padStart(decimals + 1, '0');
  const sign = decimal.startsWith('-') && /[1-9]/.test(digits) ? '-' : '';
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** A price for the eye: to the cent, and a small one to five digits that count. What is to be exact is shown as an amount. */
export function showPrice(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const leading = /^0*/.exec(fraction)?.[0].length ?? 0;
  const rounded = round(decimal, whole === '0' ? leading + 5 : 2, 'near');
  if (!rounded.startsWith('0.')) return showAmount(round(rounded, 2, 'near'));
  return showAmount(rounded.replace(/\.?0+$/, ''));
}

/**
 * A value in the money of prices, always with two decimals. What is less than a cent is said to be so. What one can still
 * spend is shown `down`, so that no more is promised than is there, and what one pays `up`.
 */
export function showCents(decimal: string, to: Rounding = 'near'): string {
  if (/^-?0*\.00\d*[1-9]/.test(decimal)) return '< 0.01';
  return showAmount(round(decimal, 2, to));
}

/** An amount of an asset: to the digit, and of the money of prices with two decimals at least. */
export function showQuantity(amount: string, asset: string): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  return showAmount(asset === 'USDT' ? `${whole}.${fraction.padEnd(2, '0')}` : amount);
}

/** The same with the asset's name, which stays in its line. */
export function showCoins(amount: string, asset: string): string {
  return `${showQuantity(amount, asset)}\u00A0${asset}`;
}

/** An amount to the digit, whatever its asset, with its name. */
export function showSum(amount: string, asset: string): string {
  return `${showAmount(amount)}\u00A0${asset}`;
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

/** An address or a secret in groups of four, as it is easiest to compare and to type. */
export function inGroups(text: string): string {
  return (text.match(/^0x.{1,4}|.{1,4}/g) ?? []).join(' ');
}

/** The beginning and the end of an address or a hash, by which one knows it again. What is sent to is shown whole. */
export function shorten(text: string): string {
  return text.length > 20 ? `${text.slice(0, 10)}…${text.slice(-6)}` : text;
}

/** `ONCHAIN_WITHDRAWAL` as "Onchain withdrawal", and `accountId` as "Account id". */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `withdrawal.failed` as "Withdrawal failed", and `security.passkey_added` as "Passkey added". */
export function nameEvent(type: string): string {
  return inWords(
    type
      .replace(/^security\./, '')
      .replace('audit.added', 'change by the staff')
      .replace('totp', 'two-factor')
      .replace('codes_drawn', 'codes_made')
      .replaceAll('.', '_'),
  );
}

const movements: Readonly<Record<string, string>> = {
  SPOT_BUY: 'Bought …',
  SPOT_SELL: 'Sold …',
  P2P_BUY: 'Bought … from another holder',
  P2P_SELL: 'Sold … to another holder',
  QUICK_BUY: 'Bought … from the exchange',
  QUICK_SELL: 'Sold … to the exchange',
  ONCHAIN_DEPOSIT: '… deposit',
  INTERNAL_DEPOSIT: '… credited',
  ONCHAIN_WITHDRAWAL: '… withdrawal',
  INTERNAL_WITHDRAWAL: 'Sent … within the exchange',
};

/** What happened to which coin, or to how much of it, as a holder would say it. */
export function nameMovement(type: string, what: string): string {
  return (movements[type] ?? `${inWords(type)}: …`).replace('…', what);
}
