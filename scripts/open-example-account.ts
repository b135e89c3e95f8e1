import { generate } from 'otplib';
import type { LocalExchange } from './local-exchange.ts';
import { readDemoValues } from './run-examples.ts';

/**
 * Opens an account with funds in four assets. Returns the values of the demo account with this account in its place.
 */
export async function openExampleAccount(exchange: LocalExchange): Promise<ReturnType<typeof readDemoValues>> {
  const demo = readDemoValues(exchange);
  const operate = async (path: string, body: unknown) => {
    const response = await fetch(`${exchange.origin}/operator/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${demo.OPERATOR}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { account: { id: string }; token: string };
  };
  const { id } = (await operate('/accounts', { label: 'examples' })).account;
  for (const [asset, amount] of [
    ['USDT', '100000'],
    ['BTC', '1'],
    ['ETH', '10'],
    ['LTC', '100'],
  ]) {
    await operate(`/accounts/${id}/credits`, { asset, amount, reference: `examples ${asset}` });
  }
  const { token } = await operate(`/accounts/${id}/api-keys`, {
    label: 'examples',
    scopes: ['read', 'trade', 'withdraw', 'webhooks'],
  });
  return { ...demo, ACCOUNT: id, KEY: token };
}

/** Of a code (RFC 6238). */
const STEP_S = 30;

/** Switches the second factor of an account on, and returns its secret. The code of this moment stays unused. */
export async function enableTotp({ URL, OPERATOR, ACCOUNT }: ReturnType<typeof readDemoValues>): Promise<string> {
  const ask = async (path: string, body?: object) => {
    const response = await fetch(`${URL}/operator/v1/accounts/${ACCOUNT}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${OPERATOR}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const { secret } = (await ask('/totp')) as { secret: string };
  const epoch = Math.floor(Date.now() / 1_000) - STEP_S;
  await ask('/totp/confirm', { totpCode: await generate({ secret, epoch }) });
  return secret;
}
