import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from 'otplib';
import type { LocalExchange } from '../local-exchange.ts';

export const NOBODYS = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Sends a request to the exchange, and returns the body of the answer. Throws on every other one than 2xx. */
export async function send<T>(
  exchange: LocalExchange,
  method: string,
  path: string,
  body?: object,
  more = {},
): Promise<T> {
  const token = path.startsWith('/operator') ? exchange.valueOf('operator token') : undefined;
  const response = await fetch(`${exchange.origin}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }), ...more },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** A customer with coins, a key and a second factor, who asks for withdrawals over the API. */
export interface Customer {
  readonly accountId: string;
  withdraw(scenario?: string): Promise<string>;
}

/** Gives an account a second factor and a key, and its withdrawals to whoever asks. */
export async function openCustomer(exchange: LocalExchange, accountId: string): Promise<Customer> {
  const account = `/operator/v1/accounts/${accountId}`;
  const { secret } = await send<{ secret: string }>(exchange, 'POST', `${account}/totp`);
  let unused = 0;
  // Each code is taken once, and from the step before the present to the one after it.
  const draw = async () => {
    const step = Math.max(unused, Math.floor(Date.now() / 30_000) - 1);
    unused = step + 1;
    await sleep(Math.max(0, 30_000 * (step - 1) - Date.now()));
    return generate({ secret, epoch: 30 * step });
  };
  await send(exchange, 'POST', `${account}/totp/confirm`, { totpCode: await draw() });
  const entry = { network: 'ETH', address: NOBODYS, label: 'cold wallet' };
  await send(exchange, 'POST', `${account}/allowlist`, entry);
  const { token } = await send<{ token: string }>(exchange, 'POST', `${account}/api-keys`, {
    label: 'bot',
    scopes: ['read', 'trade', 'withdraw'],
  });
  const withdraw = async (scenario?: string) => {
    const wanted = { asset: 'ETH', network: 'ETH', amount: '0.1', address: NOBODYS, totpCode: await draw() };
    const { withdrawal } = await send<{ withdrawal: { id: string } }>(
      exchange,
      'POST',
      '/api/v1/wallet/withdrawals',
      wanted,
      {
        Authorization: `Bearer ${token}`,
        'Idempotency-Key': crypto.randomUUID(),
        ...(scenario !== undefined && { 'X-Sandbox-Scenario': scenario }),
      },
    );
    return withdrawal.id;
  };
  return { accountId, withdraw };
}
