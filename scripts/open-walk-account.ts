import type { LocalExchange } from './local-exchange.ts';
import { valuesOfDemo } from './run-walk.ts';

/**
 * Opens an account that holds what the demo account began with of four assets, and gives the values of the demo with
 * the account's own in their place.
 */
export async function openWalkAccount(exchange: LocalExchange): Promise<ReturnType<typeof valuesOfDemo>> {
  const demo = valuesOfDemo(exchange);
  const operate = async (path: string, body: unknown) => {
    const response = await fetch(`${exchange.origin}/operator/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${demo.OPERATOR}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { account: { id: string }; token: string };
  };
  const { id } = (await operate('/accounts', { label: 'walk' })).account;
  for (const [asset, amount] of [
    ['USDT', '100000'],
    ['BTC', '1'],
    ['ETH', '10'],
    ['LTC', '100'],
  ]) {
    await operate(`/accounts/${id}/credits`, { asset, amount, reference: `walk ${asset}` });
  }
  const { token } = await operate(`/accounts/${id}/api-keys`, {
    label: 'walk',
    scopes: ['read', 'trade', 'withdraw'],
  });
  return { ...demo, ACCOUNT: id, KEY: token };
}
