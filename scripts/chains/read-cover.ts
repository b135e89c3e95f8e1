import { formatAmount } from '../../src/money/amounts.ts';
import { type Asset, scaleOf } from '../../src/money/assets.ts';
import { type Due, judgeCover } from '../../src/custody/judge-cover.ts';
import { readHoldings } from '../../src/custody/read-holdings.ts';
import type { ServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { type CustodyKey, askCustodian } from './ask-custodian.ts';

/** Custody of one asset against the ledger. */
export interface Cover {
  readonly asset: Asset;
  readonly standing: 'covered' | 'shortfall' | 'unknown';
  /** In the asset; `null` when it is not known. */
  readonly held: string | null;
  /** What custody should hold by the ledger, in the asset. */
  readonly due: string;
}

/** Compares the custodian's holdings with the ledger exactly as Bureau does every minute. */
export async function readCover(
  exchange: ServedExchange,
  custodianUrl: string,
  key: CustodyKey,
  assets: readonly Asset[],
): Promise<Cover[]> {
  const due = await readDue(exchange);
  const holdings = readHoldings(200, JSON.stringify(await askCustodian(custodianUrl, '/v1/holdings', key)));
  if (!holdings) throw new Error('the holdings cannot be read');
  const after = await readDue(exchange);
  const judged = judgeCover(holdings, due, after, {}, Date.now());
  return assets.map((asset) => {
    const { held, cover: standing } = judged[asset];
    return { asset, standing, held, due: formatAmount(after.get(asset) ?? 0n, scaleOf(asset)) };
  });
}

export function describeCover({ asset, held, due, standing }: Cover): string {
  return `${asset}: ${held ?? '?'} held, ${due} due, ${standing}`;
}

async function readDue({ probe }: ServedExchange): Promise<Due> {
  const rows = await probe.query<{ asset: Asset; atoms: string }>(
    `SELECT asset, CAST(-amount AS TEXT) AS atoms FROM balances WHERE account = 'house:custody'`,
  );
  return new Map(rows.map(({ asset, atoms }) => [asset, BigInt(atoms)]));
}
