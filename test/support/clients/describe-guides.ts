import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generate } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readExamples } from '../../../scripts/run-examples.ts';
import { defaultLimits } from '../../../src/keys/rights.ts';
import { Operator } from '../node/exchange/operator.ts';
import { type Exchange, startExchange } from '../node/exchange/start-exchange.ts';
import { openFolder } from '../node/open-folder.ts';

const GUIDES = 'docs/guides';

/** What a guide's program prints, in either language, and how often. */
const expected: Readonly<Record<string, readonly (readonly [pattern: RegExp, times: number])[]>> = {
  'first-order': [
    [/\busdtAmount'?: '100'/g, 3],
    [/\bcoinAmount'?: '0\.0005'/g, 1],
    [/\btype'?: 'SPOT_BUY'/g, 1],
  ],
  'idempotent-retries': [
    [/^the same order true$/gim, 1],
    [/^idempotency_key_reused$/gm, 1],
    [/^insufficient_balance$/gm, 2],
    [/\busdtAmount'?: '20'/g, 1],
  ],
  'withdrawals-and-2fa': [
    [/^totp_required$/gm, 1],
    [/\bstatus'?: 'COMPLETED'/g, 1],
    [/^the same withdrawal true$/gim, 1],
    [/^COMPLETED 0x[0-9a-f]{64}$/gm, 1],
    [/\bnetwork'?: 'ARBITRUM'/g, 1],
  ],
  errors: [
    [/^amount_below_minimum false \w/gim, 1],
    [/'\/side: .*\s*.*'\/value: /g, 1],
    [/^not_found my-bot\/7:42$/gm, 1],
  ],
  'rate-limits': [
    [/\bperMinute'?: 120\b/g, 1],
    [/^8 'tickers'$|^8 tickers$/gm, 1],
  ],
  'market-data': [
    [/\bpair'?: 'BTC-USDT'/g, 1],
    [/\bts'?: '2026-01-02T00:00:00\.000Z'/g, 1],
    [/\bclose'?: '/g, 5],
  ],
  sandbox: [
    [/^outcome_unknown [0-9a-f-]{36}$/gm, 1],
    [/^the order that was lost true$/gim, 1],
    [/^service_unavailable$/gm, 1],
    [/^order_rejected$/gm, 1],
    [/^rate_limited$/gm, 1],
    [/^FAILED refused$/gm, 1],
    [/^PROCESSING$/gm, 2],
  ],
  'be-told': [
    [/^read order\.filled /gm, 1],
    // The second time because it is resent.
    [/^told (evt_[0-9a-f-]{36}_\d+ order\.filled)$[^]*^told \1$/gm, 1],
    [/^told /gm, 2],
    [/^DELIVERED$/gm, 1],
    [/^204 (null|None)$/gm, 1],
  ],
  moving: [
    [/\busdtAmount'?: '100'/g, 1],
    [/^price_limit_exceeded \[\]$/gm, 1],
    [/^invalid_request \[[^\]]*'\/type'/gm, 1],
  ],
};

export interface ProgramLanguage {
  readonly name: string;
  /** As its blocks are called in Markdown. */
  readonly blocks: 'ts' | 'python';
  readonly file: string;
  /** Makes a program that runs here of the one that a reader writes. */
  prepare(program: string): string;
  /** The command that runs a file, and the variables that it needs. */
  readonly command: readonly [program: string, ...words: string[]];
  readonly variables?: Readonly<Record<string, string>>;
  /** Checks programs without running them, if the language has a way. Throws at a fault. */
  check?(files: readonly string[]): Promise<void>;
}

const read = (guide: string) => readFileSync(`${GUIDES}/${guide}.md`, 'utf8');

/** The guides that show their requests in every language. */
const guides = readdirSync(GUIDES)
  .map((file) => file.replace(/\.md$/, ''))
  .filter((guide) => readExamples(read(guide), 'ts') !== '');

/** What a guide shows in a language is run as one program, by a reader with an account and keys of his own. */
export function describeGuides(bundle: string, language: ProgramLanguage): void {
  let exchange: Exchange;
  let operator: Operator;
  const place = openFolder('guides');

  beforeAll(async () => {
    exchange = await startExchange({ bundle });
    operator = new Operator(exchange.urls[0] ?? '');
  });

  afterAll(() => exchange.dispose());

  function writeProgram(guide: string): string {
    const file = join(place, `${guide}.${language.file}`);
    writeFileSync(file, language.prepare(readExamples(read(guide), language.blocks)));
    return file;
  }

  /** A new account's key, and a code where the guide needs one. */
  async function openReader(guide: string): Promise<Record<string, string>> {
    const accountId = await operator.openAccount({ USDT: '100000', BTC: '1', ETH: '10', LTC: '100' });
    const scopes = ['read', 'trade', 'withdraw', 'webhooks'] as const;
    const BUREAU_API_KEY = await operator.createKey(accountId, { scopes, rateLimits: defaultLimits });
    if (!read(guide).includes('TOTP_CODE')) return { BUREAU_API_KEY };
    return { BUREAU_API_KEY, TOTP_CODE: await generate({ secret: await operator.enableTotp(accountId) }) };
  }

  describe(`what the guides show in ${language.name} runs as it stands`, () => {
    it('in every guide that shows a trader’s requests', () => {
      expect(guides.toSorted()).toEqual(Object.keys(expected).toSorted());
    });

    it.runIf(language.check)('and its compiler takes it', async () => {
      await language.check?.(guides.map(writeProgram));
    });

    it.each(Object.keys(expected))('%s', async (guide) => {
      const file = writeProgram(guide);
      const variables = { ...language.variables, BUREAU_URL: operator.origin, ...(await openReader(guide)) };
      const [program, ...words] = language.command;
      const env = { ...process.env, NO_COLOR: '1', ...variables };
      const { stdout } = await promisify(execFile)(program, [...words, file], { env });
      for (const [pattern, times] of expected[guide] ?? []) {
        expect([String(pattern), stdout.match(pattern)?.length ?? 0, stdout]).toEqual([String(pattern), times, stdout]);
      }
    });
  });
}
