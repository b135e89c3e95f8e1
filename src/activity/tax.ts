import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { type Asset, QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { formatAmount, formatPrice } from '../money/amounts.ts';
import { spreadOf } from '../reconciliation/day-sums.ts';
import { type MovementSpan, type NumberedRows, readRecords } from './movements.ts';

/**
 * The columns of `format=tax`, which stay as they are; more may follow at the end. The first twelve are those of Koinly's
 * Universal template, the next ten those by which rotki's generic imports of trades and of events differ, both as they
 * were documented on 2026-11-27:
 * https://support.koinly.io/en/articles/9489976-how-to-create-a-custom-csv-file-with-your-data
 * https://docs.rotki.com/usage-guides/history/import-data.html
 */
export const taxColumns = [
  'Date',
  'Sent Amount',
  'Sent Currency',
  'Received Amount',
  'Received Currency',
  'Fee Amount',
  'Fee Currency',
  'Net Worth Amount',
  'Net Worth Currency',
  'Label',
  'Description',
  'TxHash',
  'Timestamp',
  'Location',
  'Type',
  'Spend Currency',
  'Spend Amount',
  'Receive Currency',
  'Receive Amount',
  'Currency',
  'Amount',
  'Fee',
  'Price',
  'Spread',
  'Id',
] as const;

/** A record that has ended, and both its sides as texts of atoms. A trade has both, anything else one. */
interface TaxRow {
  readonly id: string;
  readonly type: string;
  readonly time_ms: number;
  readonly sentAsset: Asset | null;
  readonly sent: string | null;
  readonly receivedAsset: Asset | null;
  readonly received: string | null;
  readonly fee: string | null;
  readonly usdValue: string;
  readonly txHash: string | null;
  readonly price: string | null;
  readonly middle: string | null;
}

/** The records that a kind has in the file, in SQL over the row `r`: each by the transfer with which it ended. */
interface TaxKind extends NumberedRows {
  readonly type: string;
  readonly sent: readonly [asset: string, amount: string];
  readonly received: readonly [asset: string, amount: string];
  readonly fee: string;
  readonly usdValue: string;
  readonly txHash: string;
  readonly price: string;
  readonly middle: string;
}

const NONE = 'NULL';
const nothing = [NONE, NONE] as const;
const bare = { fee: NONE, txHash: NONE, price: NONE, middle: NONE };

/** The sides of a trade, of which the account buys or sells the coin. */
function tradedBy(isBuy: string): Pick<TaxKind, 'sent' | 'received'> {
  const choose = (bought: string, sold: string) => `iif(${isBuy}, ${bought}, ${sold})`;
  const quote = `'${QUOTE_ASSET}'`;
  return {
    sent: [choose(quote, 'r.coin'), choose('r.usdt_amount', 'r.coin_amount')],
    received: [choose('r.coin', quote), choose('r.coin_amount', 'r.usdt_amount')],
  };
}

const kinds: readonly TaxKind[] = [
  {
    ...bare,
    table: 'orders AS r',
    isSlow: false,
    numbers: ['r.first_transfer'],
    type: `'SPOT_' || r.side`,
    ...tradedBy(`r.side = 'BUY'`),
    usdValue: 'r.usdt_amount',
    price: 'r.executed_price',
    middle: 'r.middle_price',
  },
  {
    ...bare,
    table: 'settlements AS r',
    isSlow: false,
    numbers: ['r.first_transfer'],
    type: 'r.type',
    ...tradedBy(`r.type IN ('P2P_BUY', 'QUICK_BUY')`),
    usdValue: 'r.usdt_amount',
  },
  {
    ...bare,
    table: 'deposits AS r',
    isSlow: true,
    numbers: ['r.transfer'],
    type: 'r.type',
    sent: nothing,
    received: ['r.asset', 'r.amount'],
    usdValue: 'r.usd_value',
    txHash: 'r.tx_hash',
  },
  {
    ...bare,
    table: 'withdrawals AS r',
    isSlow: true,
    numbers: ['r.paid_transfer'],
    type: 'r.type',
    sent: ['r.asset', 'r.amount'],
    received: nothing,
    fee: 'iif(r.fee > 0, r.fee, NULL)',
    usdValue: 'r.usd_value',
    txHash: 'r.tx_hash',
  },
];

const textOf = (amount: string) => `CAST(${amount} AS TEXT)`;

function selectKind({ numbers, type, sent, received, fee, usdValue, txHash, price, middle }: TaxKind): SQL {
  return sql.raw(`id, ${type} AS type, (SELECT ts FROM transfers WHERE transfers.id = ${numbers[0]}) AS time_ms,
    ${sent[0]} AS sentAsset, ${textOf(sent[1])} AS sent, ${received[0]} AS receivedAsset,
    ${textOf(received[1])} AS received, ${textOf(fee)} AS fee, ${textOf(usdValue)} AS usdValue, ${txHash} AS txHash,
    ${textOf(price)} AS price, ${textOf(middle)} AS middle`);
}

/**
 * Writes the lines of what ended in a span, some hundred records at a time, in the order of the records: filled orders,
 * settlements, completed deposits and withdrawals. What has ended never changes, so neither does a line. Rejects when D1
 * fails.
 */
export async function* writeTaxLines(
  database: Database,
  span: MovementSpan,
): AsyncGenerator<string[][], void, undefined> {
  for await (const rows of readRecords<TaxRow, TaxKind>(database, span, kinds, selectKind)) yield rows.map(writeLine);
}

function show(asset: Asset | null, atoms: string | null): string {
  return asset === null || atoms === null ? '' : formatAmount(BigInt(atoms), scaleOf(asset));
}

function writeLine(row: TaxRow): string[] {
  const { sentAsset, receivedAsset } = row;
  const [sent, received] = [show(sentAsset, row.sent), show(receivedAsset, row.received)];
  const isTrade = sentAsset !== null && receivedAsset !== null;
  const fee = show(sentAsset, row.fee);
  const time = new Date(row.time_ms).toISOString();
  const koinly = [
    `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`,
    sent,
    sentAsset ?? '',
    received,
    receivedAsset ?? '',
    fee,
    fee === '' ? '' : (sentAsset ?? ''),
    show(QUOTE_ASSET, row.usdValue),
    'USD',
    '',
    row.type,
    row.txHash ?? '',
  ];
  const type = isTrade ? 'Trade' : sentAsset === null ? 'Deposit' : 'Withdrawal';
  const traded = isTrade ? [sentAsset, sent, receivedAsset, received] : ['', '', '', ''];
  const moved = isTrade ? ['', ''] : [sentAsset ?? receivedAsset ?? '', sent || received];
  const price = row.price === null ? '' : formatPrice(BigInt(row.price));
  return [...koinly, String(row.time_ms), 'external', type, ...traded, ...moved, fee, price, showSpread(row), row.id];
}

/** What the spread cost, in USDT: it is in the price. Empty where none is known. */
function showSpread({ sentAsset, sent, receivedAsset, received, middle }: TaxRow): string {
  if (sent === null || received === null) return '';
  const isBuy = sentAsset === QUOTE_ASSET;
  const [coin, coinAmount, usdtAmount] = isBuy ? [receivedAsset, received, sent] : [sentAsset, sent, received];
  const spread = spreadOf({ coin: coin ?? '', side: isBuy ? 'BUY' : 'SELL', coinAmount, usdtAmount, middle });
  return spread === undefined ? '' : show(QUOTE_ASSET, String(spread));
}
