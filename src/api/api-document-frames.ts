import { sentEvents } from '../events/event.ts';
import { sentOperatorEvents } from '../events/operator-event.ts';
import type { DocumentFrame } from '../http/document/build-document.ts';

/** The version of the interface's contract. Within 1 things are only added. */
const VERSION = '1.0.0';

const servers = [{ url: '/', description: 'The exchange that serves this document' }];

const clientText = `
A crypto exchange: wallet, spot orders against USDT that fill at once and whole, and public market data.

**Amounts and times.** Amounts and prices are decimal strings, never JSON numbers; times are ISO 8601 in UTC with milliseconds.

**Keys.** \`Authorization: Bearer <API_KEY>\`. A key has exact scopes (read, trade, withdraw, webhooks) and belongs to one account. Public routes need none; if a key is sent all the same, it is checked and the call counts in its read bucket.

**Errors** are \`application/problem+json\` (RFC 9457). Decide by \`code\`, which is stable, and by \`retryable\`. Any path may also answer 404 \`not_found\`, and 405 \`method_not_allowed\` with \`Allow\`.

**Once.** Send an \`Idempotency-Key\` with every POST. A request that is repeated with the same key within 24 hours takes effect once. It gets the same answer, byte by byte, with \`X-Idempotency-Replay: true\`. Refusals that a later try may avoid (429, 503, a missing code) are not stored. After 504 \`outcome_unknown\`, repeat the request with the same key.

**Limits.** Each bucket of a key has two windows, the last 60 seconds and the UTC day. The answer to every counted request states both. After 429, wait as long as \`Retry-After\` says.

**Lists** are newest first. For the next page send \`nextCursor\` as \`cursor\`, until it is \`null\`. With filters, send them again with each page; a page may then be short, or empty, and still have a next one.

**Compatibility.** Within v1 things are only added, so accept unknown fields and values in answers. The exchange itself refuses unknown fields: a body with one is \`invalid_request\`, which names each, and nothing is done. A removal is announced at least 180 days ahead in \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594).
`.trim();

const operatorText = `
For the operator of the exchange: accounts and their keys, deposits, reviews, settings.

Every change also writes a row of the append-only audit. Errors are \`application/problem+json\` (RFC 9457), with a stable \`code\`.
`.trim();

/** The clients' document without its routes; tags in the order of the specification. */
export const clientFrame: DocumentFrame = {
  info: { title: 'Bureau', version: VERSION, description: clientText },
  servers,
  tags: [
    { name: 'Wallet', description: 'Balances, deposit addresses, the activity feed, deposits, withdrawals' },
    { name: 'Trade', description: 'Spot orders against USDT' },
    { name: 'Markets', description: 'Public tickers and candles' },
    { name: 'Exchange', description: 'Public facts about the exchange' },
    { name: 'Account', description: 'The API key of the request' },
    { name: 'Events', description: 'What happened to the account, so that nobody has to poll the lists' },
  ],
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'bk_live_… or bk_test_…',
      description:
        'An API key with exact scopes. `read`: balances, addresses, activity, orders, deposits and withdrawals. `trade`: placing orders. `withdraw`: withdrawing. `webhooks`: the addresses that events are sent to. Each operation names the scope that it needs; if it names none, any key may use it. A key may expire, and may be limited to IP addresses.',
    },
  },
  publicSecurity: [{}, { apiKey: [] }],
  events: sentEvents,
};

/** The operator's document without its routes. */
export const operatorFrame = {
  info: {
    title: 'Bureau, the operator’s API',
    version: VERSION,
    description: operatorText,
  },
  servers,
  tags: [
    { name: 'Accounts', description: 'Accounts, their API keys, credits by hand' },
    { name: 'Security', description: 'Second factor and approved addresses of an account' },
    { name: 'Deposits', description: 'The custodian’s reports, and the addresses that it watches' },
    { name: 'Withdrawals', description: 'Reviews, and stuck withdrawals' },
    { name: 'Settlements', description: 'Trades that were agreed elsewhere' },
    { name: 'Liquidity', description: 'The house’s own money: its capital, and how its position is covered at venues' },
    { name: 'Reconciliation', description: 'The invariants of the ledger, and violations of them' },
    { name: 'House', description: 'The position of the house' },
    { name: 'Staff', description: 'The people who work here, and their roles' },
    { name: 'Proposals', description: 'Changes that wait for a second person' },
    { name: 'Audit', description: 'Who changed what, and what an id is' },
    { name: 'Events', description: 'What happened in the exchange, to be followed or sent' },
    { name: 'Settings', description: 'Halts, fees, limits of the whole exchange' },
  ],
  securitySchemes: {
    operatorToken: {
      type: 'http',
      scheme: 'bearer',
      description:
        'One of three tokens: the operator’s may use every operation, the deposit token reports deposits, the auditor’s only reads. A person who signed in through Cloudflare Access sends no token: Access adds its own as `Cf-Access-Jwt-Assertion`. Then their roles decide, and a change must carry the console’s Origin.',
    },
  },
  publicSecurity: [],
  events: sentOperatorEvents,
} satisfies DocumentFrame;
