import { readFileSync, readdirSync } from 'node:fs';
import { type LocalExchange, expectThat } from './local-exchange.ts';
import { openExampleAccount } from './open-example-account.ts';
import {
  type ExampleValues,
  type Expectation,
  expectAnswers,
  expectOutput,
  readExamples,
  readPrintedNames,
  runExamples,
} from './run-examples.ts';

const GUIDES = 'docs/guides';

const FILLED = '"executedPrice":"[0-9.]+"';

/** What the examples of each guide must show. */
const expected: Readonly<Record<string, readonly Expectation[]>> = {
  'first-order': [
    ['a ticker', /"ticker":{"symbol":"BTC"/],
    ['an order for exactly 100 USDT', new RegExp(`"order":{[^}]*${FILLED},[^}]*"usdtAmount":"100"`)],
    ['the order in the list', /"orders":\[{[^}]*"side":"BUY"[^\]]*\],"nextCursor":null/],
    ['the order in the feed', /"transactions":\[{[^}]*"type":"SPOT_BUY"/],
    ['a sale of exactly 0.0005 BTC', new RegExp(`"side":"SELL",${FILLED},"coinAmount":"0.0005"`)],
  ],
  'idempotent-retries': [
    ['one order under one key', /"coin":"ETH","side":"BUY"[^}]*"usdtAmount":"50"/g, 2],
    ['replays that say so', /^x-idempotency-replay: true/gim, 2],
    ['another request refused', /"code":"idempotency_key_reused"/g, 1],
    ['a refusal that is kept', /"code":"insufficient_balance"/g, 2],
    ['the loop’s order', /"coin":"LTC","side":"BUY"[^}]*"usdtAmount":"20"/g, 1],
  ],
  'withdrawals-and-2fa': [
    ['the second factor on', /{"totp":{"enabled":true}}/],
    ['a withdrawal without a code refused', /"code":"totp_required"/g, 1],
    ['one that is paid, replayed and read', /"status":"COMPLETED","txHash":"0x[0-9a-f]{64}","fee":"0.0012"/g, 3],
    ['the fee of ETH', /"network":"ETH",[^}]*"withdrawFee":"0.0012"/],
    ['an approved address', /"label":"cold wallet"/],
  ],
  'be-told': [
    ['the order in the feed', /"events":\[{"id":"evt_[^}]*"type":"order.filled"/],
    ['an attempt to deliver', /"delivery":{"eventId":"evt_test_[^}]*"outcome":"FAILED","status":null/],
    ['the attempts of an endpoint', /"deliveries":\[{"eventId":"evt_test_/],
    ['an endpoint that is on', /^enabled$/gm, 1],
  ],
  errors: [
    ['a small order refused', /"code":"amount_below_minimum"/],
    ['both wrong fields', /"errors":\[{"pointer":"\/side".*"pointer":"\/value"/],
    ['the client’s own request id', /^x-request-id: my-bot\/7:42/im],
  ],
  'rate-limits': [
    ['the read bucket', /^ratelimit-policy: "read-minute";q=120;w=60, "read-day";q=5000;w=86400/gim, 1],
    ['what is left', /^ratelimit: "read-minute";r=\d+;t=\d+, "read-day";r=\d+;t=\d+/gim, 1],
    ['the limits of the key', /"limits":{"read":{"perMinute":120,"perDay":5000}/],
    ['tickers without a key', /"tickers":\[/],
  ],
  'market-data': [
    ['tickers of now', /"tickers":\[.*"degraded":false}/],
    ['a symbol in any case', /"ticker":{"symbol":"BTC"/],
    ['a status', /"status":"OK"/],
    ['304 when nothing has changed', /HTTP\/1.1 304/g, 1],
    [
      'three candles, then two from a time on',
      /"candles":\[(?:{[^}]*},?){3}\][^]*"ts":"2026-01-02T00:00:00.000Z"[^}]*}\]/,
    ],
  ],
  sandbox: [
    ['an unknown outcome that names its order', /"code":"outcome_unknown"[^}]*"orderId":"[0-9a-f-]{36}"/g, 1],
    [
      'orders that were found or filled by the second try, and one once all is well again',
      /"order":{[^}]*"status":"COMPLETED"/g,
      3,
    ],
    ['an exchange that is overloaded', /"code":"service_unavailable"/g, 1],
    ['an order that the house rejects', /"code":"order_rejected"/g, 1],
    ['an empty bucket', /"code":"rate_limited"/g, 1],
    ['a payout that is refused', /"status":"FAILED"[^}]*"reason":"refused"/g, 1],
    ['a payout that is under way', /"status":"PROCESSING"/g, 1],
    ['one that is paid late', /"status":"COMPLETED","txHash":"[0-9a-f]{64}"/g, 1],
    [
      'a price that was moved',
      /"market":{"prices":{"BTC":"70000"},"sources":"up"}[^]*"preview":{[^}]*"executedPrice":"701\d\d/,
    ],
    ['a limit that the market has passed', /"code":"price_limit_exceeded"/g, 1],
    ['an order without a price', /"code":"price_unavailable"/g, 1],
    ['a degraded ticker', /"degraded":true},"degraded":true}/g, 1],
    ['a deposit from nowhere', /"deposit":{[^}]*"creditAmount":"0.25"[^}]*"status":"COMPLETED"/g, 1],
    ['the deposit in the feed', /"transactions":\[{[^}]*"type":"ONCHAIN_DEPOSIT"/g, 1],
  ],
  moving: [
    ['an order for exactly 100 USDT', /"usdtAmount":"100"/g, 1],
    ['a limit that was not met', /"code":"price_limit_exceeded"/g, 1],
    ['a member that is unknown here', /"code":"invalid_request"[^]*"pointer":"\/type"/g, 1],
  ],
  operating: [
    ['what is still to be filled in', /error: CUSTODY_URL [^]*not yet/],
    ['an admin who signed in', /"me":{"actor":"admin@bureau.example","roles":\["admin"\]}/],
    ['roles', /"member":{"email":"lin@[^]*"staff":\[/],
    ['limits', /"supplyCaps":{[^}]*"DOGE":"5000000"/],
    ['a proposal that is open, then approved', /"proposals":\[{[^]*"status":"OPEN"[^]*"status":"APPROVED"/],
    ['two approvals', /"status":"APPROVED","decidedBy":"grace@exchange\.example"/g, 2],
    ['a key of a new account', /"apiKey":{[^}]*"label":"reports"/],
    ['the second factor on', /{"totp":{"enabled":true}}/],
    ['an approved address', /"label":"cold wallet"/],
    ['the status', /"status":"OK"/],
    ['the position of the house', /"house":{"ts"[^]*"owedToClients":[^]*"spreadEarned":\[/],
    ['the metrics', /# EOF/],
    ['a deposit that is confirmed', /"status":"PENDING"[^]*"status":"COMPLETED"/],
    ['the deposit in the feed', /"transactions":\[{[^}]*"type":"ONCHAIN_DEPOSIT"/],
    ['what can be done', /"remedies":\["credit","keep"\]/],
    [
      'a quarantined deposit that is credited, twice shown',
      /"decision":"CREDITED","creditAccountId":"[0-9a-f-]{36}"/g,
      2,
    ],
    ['one that is kept, and can be credited', /"remedies":\["credit"\],"decision":"KEPT"/],
    ['a withdrawal that waits for its review', /"status":"PENDING","txHash":null/],
    ['the same withdrawal approved and paid', /"status":"COMPLETED","txHash":"0x/],
    ['one that is stuck, and given back', /"status":"PROCESSING"[^]*"status":"FAILED"[^}]*"reason":"settled"/],
    ['the settlement in the feed', /"transactions":\[{[^}]*"type":"QUICK_BUY"/],
    ['the deposit by its hash', /"results":\[{"kind":"deposit"/],
    ['an account that is found, and shown whole', /"accounts":\[{"id"[^]*"dailyWithdrawals":{"limit"/],
    ['who credited the deposit', /"actor":"operator","role":"operator","action":"credit_deposit"/],
    [
      'a halt that clients see, and the way back',
      /"status":"HALTED"[^]*"tradingHalted":false,"withdrawalsHalted":false/,
    ],
    ['whether custody covers each asset', /USDT \w+,/],
    ['a reconciliation without violations', /^(ok|pending)\n0$/m],
  ],
  desk: [['a link to the desk', /\/cdn-cgi\/access\/authorized\?email=grace%40exchange\.example&code=[\w-]{43}/]],
};

/** This guide needs nodes of real chains: `npm run test:start-chains` runs it. */
export const CHAINS_GUIDE = 'real-chains';

/** A holder walks through these on one account, and may do so again, in any order. They are walked through as listed. */
const SECURITY_WALKS = ['withdrawals-and-2fa', 'operating', 'operating', 'withdrawals-and-2fa'];

/** This one moves the market of the whole exchange, so it runs last. */
const DISTURBING = 'sandbox';

/**
 * Runs the examples of every guide and checks their output. Each guide has its own account with the demo account's first
 * funds, but for the security walks, which share one.
 */
export async function tryGuides(exchange: LocalExchange): Promise<void> {
  const apart = [...SECURITY_WALKS, DISTURBING, CHAINS_GUIDE];
  const guides = readdirSync(GUIDES)
    .map((file) => file.replace(/\.md$/, ''))
    .filter((guide) => !apart.includes(guide));
  for (const name of guides.flatMap((guide) => readPrintedNames(readGuide(guide)))) {
    expectThat(exchange.greeting.includes(`\n${name}: `), `npm start prints “${name}”, as a guide says`);
  }
  await Promise.all(guides.map(async (guide) => tryGuide(guide, await openExampleAccount(exchange))));
  const holder = await openExampleAccount(exchange);
  for (const guide of SECURITY_WALKS) await tryGuide(guide, holder);
  await tryGuide(DISTURBING, await openExampleAccount(exchange));
}

const readGuide = (guide: string) => readFileSync(`${GUIDES}/${guide}.md`, 'utf8');

async function tryGuide(guide: string, values: ExampleValues): Promise<void> {
  const markdown = readGuide(guide);
  const [examples, promised] = [readExamples(markdown), expected[guide]];
  // A guide for readers alone.
  if (examples.trim() === '' && !promised) return;
  if (!promised) throw new Error(`nothing is expected of the examples of ${guide}:\n${examples}`);
  expectOutput(guide, await runExamples(markdown, values), [...promised, ...expectAnswers(markdown)]);
}
