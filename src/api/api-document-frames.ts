import type { DocumentFrame } from '../http/document/build-document.ts';

/** The version of the interface's contract. Within 1 things are only added. */
const VERSION = '1.0.0';

const servers = [{ url: '/', description: 'The exchange that serves this document' }];

const clientText = `
A crypto exchange: wallet, spot orders against USDT that fill at once and whole, and public market data.

**Amounts and times.** Amounts and prices are decimal strings, never JSON numbers; times are ISO 8601 in UTC with milliseconds.

**Keys.** \`Authorization: Bearer <API_KEY>\`. A key has exact scopes (read, trade, withdraw) and belongs to one account. Public routes need none; a key that is attached all the same is checked, and counted in its read bucket.

**Errors** are \`application/problem+json\` (RFC 9457). Branch on \`code\`, which is stable, and on \`retryable\`. Any path may also answer 404 \`not_found\`, and 405 \`method_not_allowed\` with \`Allow\`.

**Once.** Send an \`Idempotency-Key\` with every POST. Repeated under the same key within 24 hours it takes effect once and is answered with the same bytes and \`X-Idempotency-Replay: true\`. A refusal that a later try may pass (429, 503, a missing code) is not kept. 504 \`outcome_unknown\` means: repeat it under the same key.

**Limits.** Each bucket of a key has two windows, the last 60 seconds and the UTC day; every counted answer states both. 429 says in \`Retry-After\` when to come back.

**Lists** are newest first. Pass \`nextCursor\` on until it is \`null\`.

**Compatibility.** Within v1 things are only added: tolerate unknown fields and unknown values in what the exchange sends. It takes no unknown field itself: a body with one is \`invalid_request\`, which names each, and nothing is done. What is to go is announced at least 180 days ahead in \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594).
`.trim();

const operatorText = `
What the operator of the exchange does: accounts and their keys, deposits, reviews, settings.

Every change writes a row of the append-only audit with it. Errors are \`application/problem+json\` (RFC 9457), with a stable \`code\`.
`.trim();

/** What the clients' document says beside its routes; tags in the order of the specification. */
export const clientFrame: DocumentFrame = {
  info: { title: 'Bureau', version: VERSION, description: clientText },
  servers,
  tags: [
    { name: 'Wallet', description: 'Balances, deposit addresses, the activity feed, withdrawals' },
    { name: 'Trade', description: 'Spot orders against USDT' },
    { name: 'Markets', description: 'Public tickers and candles' },
    { name: 'Exchange', description: 'What the exchange says of itself, in public' },
    { name: 'Account', description: 'What a key may know of itself' },
  ],
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'bk_live_… or bk_test_…',
      description:
        'An API key with exact scopes. `read`: balances, addresses, activity, orders and withdrawals. `trade`: placing orders. `withdraw`: withdrawing. An operation names the one that it needs; where it names none, any key will do. A key may expire, and may be bound to IP addresses.',
    },
  },
  publicSecurity: [{}, { apiKey: [] }],
};

/** What the operator's document says beside its routes. */
export const operatorFrame: DocumentFrame = {
  info: {
    title: 'Bureau, the operator’s doors',
    version: VERSION,
    description: operatorText,
  },
  servers,
  tags: [
    { name: 'Accounts', description: 'Accounts, their API keys, credits by hand' },
    { name: 'Security', description: 'Second factor and approved addresses of an account' },
    { name: 'Deposits', description: 'What custody reports, and the addresses that it watches' },
    { name: 'Withdrawals', description: 'Reviews, and what is stuck' },
    { name: 'Settlements', description: 'Trades that were agreed elsewhere' },
    { name: 'Reconciliation', description: 'Every invariant of the ledger, and what was found to break one' },
    { name: 'Settings', description: 'Halts, fees, limits of the whole exchange' },
  ],
  securitySchemes: {
    operatorToken: {
      type: 'http',
      scheme: 'bearer',
      description:
        'One of three tokens: the operator’s opens every door, the one for deposits reports deposits and nothing else, the auditor’s reads and changes nothing.',
    },
  },
  publicSecurity: [],
};
