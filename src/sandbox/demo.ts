import type { Scope } from '../keys/rights.ts';

/**
 * The API key of the demo account that `wrangler dev` opens. Everybody knows it, as they know the secret that signs it
 * (src/public-secrets.ts): with other secrets it is no key.
 */
export const demoKey = {
  id: '01930000-0000-7000-8000-00000000de30',
  scopes: ['read', 'trade', 'withdraw', 'webhooks'] satisfies Scope[],
  secret: 'sandbox-demo-key-of-the-public-repository-0',
} as const;

/** The first funds of the demo account, in whole units. */
export const demoFunds = {
  USDT: 100_000,
  USDC: 10_000,
  BTC: 1,
  ETH: 10,
  AVAX: 500,
  MATIC: 10_000,
  BNB: 20,
  LTC: 100,
  DOGE: 50_000,
};

/** The name of the sandbox's venue, and its coins. */
export const SANDBOX_VENUE = 'sandbox';
export const VENUE_COINS = ['BTC', 'ETH'] as const;

/** The house's first funds at the sandbox's venue, in whole units. `npm start` enters them in the ledger. */
export const VENUE_FUNDS = { USDT: 100_000, BTC: 2, ETH: 30 } as const;

/** How `npm start` has each coin of the venue hedged: a few small orders make a hedge. */
export const VENUE_TERMS = {
  venue: SANDBOX_VENUE,
  outer: '250',
  inner: '100',
  maxAgeSeconds: 60,
  limitBps: 20,
  maxHedge: '50000',
  feeBps: 10,
} as const;
