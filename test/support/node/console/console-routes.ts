/** The requests that the console's refusals are tested with, on every route of it. */

export const WITHDRAWAL = {
  asset: 'USDT',
  network: 'TRC20',
  amount: '20',
  address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
};
export const COLD = { network: 'ETH', address: '0x52908400098527886E0F7030069857D2E4169EE7', label: 'cold' };

export const ENDPOINT = '01a1fcca-895a-7000-b43c-11f474a4f8d5';

/** Every change that a signed-in holder can make at the console: method, path and a body that would be taken. */
export type Change = [method: string, path: string, body?: object];

export const changes: Change[] = [
  ['DELETE', '/session'],
  ['DELETE', '/session/list/x'],
  ['POST', '/session/link', { email: 'a@b.example' }],
  ['POST', '/session/link/spend', { secret: 'x' }],
  ['POST', '/session/passkey/options'],
  ['POST', '/session/passkey', {}],
  ['POST', '/session/freeze', { secret: 'x' }],
  ['POST', '/session/freeze/read', { secret: 'x' }],
  ['POST', '/account/passkeys/options'],
  ['POST', '/account/passkeys', {}],
  ['PATCH', '/account/passkeys/x', { name: 'x' }],
  ['DELETE', '/account/passkeys/x'],
  ['POST', '/account/fresh/options'],
  ['POST', '/account/fresh', {}],
  ['POST', '/account/recovery', { totpCode: '123456' }],
  ['POST', '/account/recovery-codes'],
  ['POST', '/account/keys', { label: 'x', scopes: ['read'] }],
  ['DELETE', '/account/keys/x'],
  ['POST', '/account/totp'],
  ['POST', '/account/totp/confirm', { totpCode: '123456' }],
  ['POST', '/account/totp/remove', {}],
  ['POST', '/account/addresses', COLD],
  ['DELETE', '/account/addresses/x'],
  ['POST', '/account/freeze'],
  ['POST', '/api/v1/orders', { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' }],
  ['POST', '/api/v1/orders/preview', { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' }],
  ['POST', '/api/v1/wallet/withdrawals', WITHDRAWAL],
  ['POST', '/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/' }],
  ['PATCH', `/api/v1/webhook-endpoints/${ENDPOINT}`, { url: 'http://127.0.0.1:9/' }],
  ['DELETE', `/api/v1/webhook-endpoints/${ENDPOINT}`],
  ['POST', `/api/v1/webhook-endpoints/${ENDPOINT}/rotate-secret`],
  ['POST', `/api/v1/webhook-endpoints/${ENDPOINT}/test`],
  ['POST', `/api/v1/webhook-endpoints/${ENDPOINT}/resend`, { eventId: 'x' }],
  ['POST', `/api/v1/webhook-endpoints/${ENDPOINT}/replay`, { after: 0 }],
  ['POST', '/operator/v1/accounts', { label: 'x' }],
];

export const reads = [
  '/session',
  '/session/list',
  '/account',
  '/account/keys',
  '/account/addresses',
  '/account/log',
  '/account/notice',
  '/account/passkeys',
];

/** Reads that need no session of a holder: what the sign-in offers, and the staff's, whom Access signs in. */
export const anybody: readonly string[] = ['GET /session/offer', 'GET /desk/holders', 'GET /desk/holders/:accountId'];

/** What the requests of a route look like: its path with something in place of each parameter. */
export function toPattern(route: string): RegExp {
  return new RegExp(`^${route.replace(/\/$/, '').replaceAll(/:\w+/g, '[^/]+')}$`);
}
