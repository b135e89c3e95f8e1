import { setTimeout as sleep } from 'node:timers/promises';
import { publicSecrets } from '../../src/public-secrets.ts';
import type { Client } from '../support/client.ts';
import type { Operator } from '../support/node/exchange/operator.ts';
import { type Document, listOperations, listParameters } from '../../scripts/openapi/document.ts';
import type { Pools } from './draw-valid.ts';
import { hostileTexts } from './hostile-values.ts';

export type OperationSchema = ReturnType<typeof listOperationSchemas>[number];

/** The accounts and records that exist before the attack, and the parts that attackers know. */
export type World = Awaited<ReturnType<typeof openWorld>>;

const OUTSIDE = {
  TRC20: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC',
  ETH: '0x52908400098527886E0F7030069857D2E4169EE7',
} as const;

/** Opens the accounts that are attacked, gives them records of every kind, and reads both documents. */
export async function openWorld(operator: Operator) {
  const funds = { USDT: '100000', BTC: '1', ETH: '20', DOGE: '10000' };
  const richId = await operator.openAccount(funds);
  const poorId = await operator.openAccount();
  const frozenId = await operator.openAccount(funds);
  const victimId = await operator.openAccount(funds);
  await operator.operate('PATCH', `/accounts/${richId}`, { dailyWithdrawalLimit: '1000000' });
  const [rich, revoked] = [await operator.createClient(richId), await operator.createClient(richId)];
  const [victim, frozen] = [await operator.createClient(victimId), await operator.createClient(frozenId)];
  await operator.operate('DELETE', `/accounts/${richId}/api-keys/${revoked.keyId}`);
  await operator.operate('PATCH', `/accounts/${frozenId}`, { status: 'frozen' });
  const tokens = {
    operator: publicSecrets['OPERATOR_TOKEN'] ?? '',
    depositor: publicSecrets['DEPOSIT_TOKEN'] ?? '',
    auditor: publicSecrets['AUDITOR_TOKEN'] ?? '',
    rich: rich.token,
    poor: await operator.createKey(poorId),
    reader: await operator.createKey(richId, { scopes: ['read'] }),
    elsewhere: await operator.createKey(richId, { ipAllowlist: ['192.0.2.0/24'] }),
    revoked: revoked.token,
    frozen: frozen.token,
    expired: await operator.createKey(richId, { expiresAt: new Date(Date.now() + 1_500).toISOString() }),
  };

  const orderIds: string[] = [];
  const withdrawalIds: string[] = [];
  const makeRecords = async (client: Client, network: keyof typeof OUTSIDE, asset: string, amount: string) => {
    orderIds.push((await client.trade({ value: '20' })).id);
    withdrawalIds.push((await client.takeOut({ asset, network, amount, address: OUTSIDE[network] })).id);
  };
  for (const client of [rich, rich, victim]) await makeRecords(client, 'TRC20', 'USDT', '20');
  // Some withdrawals wait for a review.
  await operator.withSettings({ reviewThreshold: '1' }, async () => {
    for (let count = 0; count < 12; count += 1) await makeRecords(victim, 'ETH', 'ETH', '0.05');
  });

  const read = async <T>(client: Client, path: string) => (await (await client.get(`/api/v1/${path}`)).json()) as T;
  const { addresses } = await read<{ addresses: { address: string }[] }>(rich, 'wallet/addresses');
  await read(victim, 'wallet/addresses');
  const cursors: string[] = [];
  for (const path of ['orders', 'wallet/withdrawals', 'wallet/transactions']) {
    for (const client of [rich, victim]) {
      const { nextCursor } = await read<{ nextCursor: string }>(client, `${path}?limit=1`);
      cursors.push(nextCursor, `${nextCursor.slice(0, -1)}_`);
    }
  }
  const entryIds: string[] = [];
  for (const label of ['one', 'two', 'three']) {
    const entry = { network: 'TRC20', address: OUTSIDE.TRC20, label };
    const made = await operator.operate<{ entry: { id: string } }>('POST', `/accounts/${victimId}/allowlist`, entry);
    entryIds.push(made.entry.id);
  }
  const clientDocument = await read<Document>(rich, 'openapi.json');
  const operatorDocument = await operator.operate<Document>('GET', '/openapi.json');
  await sleep(1_500);
  const own = addresses.map(({ address }) => address);
  const accountIds = [poorId, victimId];
  const strangers = ['01a1fcca-895a-7000-b43c-11f474a4f8d5', ...orderIds.slice(0, 1)];
  return {
    host: new URL(operator.origin).host,
    documents: [clientDocument, operatorDocument],
    clientOperations: listOperationSchemas(clientDocument),
    operatorOperations: listOperationSchemas(operatorDocument),
    schemas: { ...clientDocument.components?.schemas, ...operatorDocument.components?.schemas },
    tokens,
    pools: {
      ...textPools,
      // The operator's attacks change the victim's account only, so that the rich account's key stays valid.
      accountId: [...accountIds, ...accountIds, ...strangers],
      buyerAccountId: accountIds,
      sellerAccountId: accountIds,
      orderId: [...orderIds, ...strangers],
      withdrawalId: [...withdrawalIds, ...strangers],
      keyId: [victim.keyId, ...strangers],
      entryId: [...entryIds, ...strangers],
      violationId: ['1', '0', '-1', ...strangers],
      cursor: cursors,
      address: [...own, ...Object.values(OUTSIDE), OUTSIDE.ETH.toLowerCase(), '0x', `${OUTSIDE.TRC20}x`],
    },
  };
}

/** Values of fields that the schema calls text, but that the exchange parses further. */
const textPools: Pools = {
  symbol: ['BTC', 'btc', 'Eth', 'USDT', 'MATIC', 'SHIB', 'DOGE', 'BTC-USDT'],
  coin: ['BTC', 'btc', 'Eth', 'USDT', 'MATIC', 'SHIB', 'DOGE', 'ＢＴＣ', 'LTC', 'AVAX', 'BNB', 'USDC'],
  network: ['TRC20', 'ETH', 'BTC', 'SOL', 'BEP20', 'trc20', 'POLYGON', 'NONE', 'LTC', 'DOGE'],
  asset: ['USDT', 'ETH', 'BTC', 'USDC', 'DOGE', 'MATIC'],
  value: ['1', '25', '0.001', '0.5', '1.1234567890', '49999.999999', '0'],
  amount: ['1', '25', '0.05', '10.000001', '0.000000000000000001', '9223372036854.775807', '92233720368.54775807'],
  usdtAmount: ['1', '25', '0.000001', '9223372036854.775807'],
  coinAmount: ['0.01', '0.00000001', '1', '92233720368.54775807'],
  totpCode: ['000000', '123456', '１２３４５６'],
  confirmations: [0, 1, 12, 1_000_000],
  txHash: [`0x${'ab'.repeat(32)}`, 'ab'.repeat(32), '5'.repeat(88)],
  startTime: ['2026-01-01T00:00:00.000Z', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2026-11-21T00:00:00+14:00'],
  endTime: ['2026-11-21T00:00:00.000Z', '0001-01-01T00:00:00Z', '2026-12-31T23:59:59.999999999Z'],
  'ipAllowlist[]': ['192.0.2.0/24', '::/0', '127.0.0.1', '::ffff:10.0.0.0/100', '1.2.3.4/0', ...hostileTexts.slice(-3)],
  expiresAt: [null, '2099-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '+275760-09-13T00:00:00.000Z'],
  reference: ['one', 'two', 'three', 'four'],
};

function listOperationSchemas(document: Document) {
  return listOperations(document).map(({ path, method, operation }) => ({
    id: operation.operationId ?? '',
    method: method.toUpperCase(),
    path,
    parameters: listParameters(operation, document),
    body: operation.requestBody?.content?.['application/json']?.schema,
  }));
}
