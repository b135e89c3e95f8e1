import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { assetSymbols } from '../../src/money/assets.ts';
import { demoFunds, demoKey } from '../../src/sandbox/demo.ts';
import { operate } from './operate.ts';
import type { Place } from './place.ts';

/** The account that `npm start` opens, and its API key. */
export interface Demo {
  readonly accountId: string;
  readonly token: string;
}

export const DEMO_FILE = 'demo-account.json';

/** Returns the demo account of an earlier run if its key is still accepted, and else opens one. */
export async function openDemo(place: Place, operatorToken: string): Promise<Demo & { readonly isNew: boolean }> {
  const earlier = await findDemo(place);
  return earlier ? { ...earlier, isNew: false } : { ...(await makeDemo(place, operatorToken)), isNew: true };
}

async function findDemo({ origin, storage }: Place): Promise<Demo | undefined> {
  const file = `${storage}/${DEMO_FILE}`;
  if (!existsSync(file)) return undefined;
  const demo = JSON.parse(readFileSync(file, 'utf8')) as Demo;
  const headers = { Authorization: `Bearer ${demo.token}` };
  const response = await fetch(`${origin}/api/v1/account/api-key`, { headers });
  return response.ok ? demo : undefined;
}

async function makeDemo(place: Place, operatorToken: string): Promise<Demo> {
  const post = <T>(path: string, body: unknown): Promise<T> => operate(place, operatorToken, 'POST', path, body);
  const { account } = await post<{ account: { id: string } }>('/accounts', { label: 'demo' });
  await Promise.all(
    assetSymbols.map((asset) =>
      post(`/accounts/${account.id}/credits`, {
        asset,
        amount: String(demoFunds[asset]),
        reference: `demo ${asset}`,
      }),
    ),
  );
  const { token } = await post<{ token: string }>(`/accounts/${account.id}/api-keys`, {
    label: 'demo',
    scopes: demoKey.scopes,
  });
  const demo = { accountId: account.id, token };
  mkdirSync(place.storage, { recursive: true });
  writeFileSync(`${place.storage}/${DEMO_FILE}`, JSON.stringify(demo), { mode: 0o600 });
  return demo;
}
