import { describe, expect, it } from 'vitest';
import { deriveDepositKeys, readSeed } from '../scripts/offline-wallet.ts';
import { type Config, parseConfig } from '../src/config.ts';
import { config } from '../src/env.ts';
import { chooseAddressSources } from '../src/providers.ts';
import { TEST_MNEMONIC } from './support/addresses/address-vectors.ts';
import { env } from './support/runtime/test-env.ts';

const depositKeys = deriveDepositKeys(new Uint8Array(64).fill(7));

const production = {
  ...(env as unknown as Record<string, unknown>),
  ENVIRONMENT: 'production',
  PRICE_SOURCES: 'binance,okx,kucoin,kraken',
  PRICE_STREAMS: 'always',
  PRICE_MARGIN_MS: '150',
  CANDLE_SOURCES: 'binance,bybit,kucoin',
  SPREAD_BPS: '20',
  API_KEY_SECRETS: JSON.stringify({ 1: 'k'.repeat(40) }),
  CURSOR_SECRET: 'c'.repeat(40),
  OPERATOR_TOKEN: 'o'.repeat(40),
  DEPOSIT_TOKEN: 'd'.repeat(40),
  AUDITOR_TOKEN: 'a'.repeat(40),
  TOTP_SECRETS: JSON.stringify({ 1: 't'.repeat(40) }),
  DEPOSIT_KEYS: JSON.stringify(depositKeys),
  SOLANA_ADDRESSES: 'pool',
  CUSTODY_PROVIDER: 'http',
  CUSTODY_URL: 'https://custody.bureau.dev',
  CUSTODY_SECRET: 'p'.repeat(40),
};

function start(variables: unknown): Config {
  const parsed = parseConfig(variables);
  chooseAddressSources(parsed);
  return parsed;
}

describe('the configuration', () => {
  it('of the sandbox in wrangler.toml is accepted', () => {
    expect(config.ENVIRONMENT).toBe('sandbox');
    expect(config.PRICE_SOURCES).toHaveLength(4);
  });

  it('of production is accepted without a custodian where people pay by hand', () => {
    const byHand = { ...production, CUSTODY_PROVIDER: 'manual', CUSTODY_URL: 'https://custody.example' };
    expect(start(byHand)).toMatchObject({ CUSTODY_PROVIDER: 'manual' });
  });

  it('of production is accepted with real providers, secrets and a spread', () => {
    expect(start(production)).toMatchObject({ ENVIRONMENT: 'production', SPREAD_BPS: 20 });
  });

  const sandbox = env as unknown as Record<string, unknown>;
  it.each([
    ['a sandbox price source', 'PRICE_SOURCES', 'binance,sandbox-a'],
    ['three price sources', 'PRICE_SOURCES', 'binance,okx,kraken'],
    ['a margin that venues need to follow each other', 'PRICE_MARGIN_MS', '149'],
    ['a stream without TLS', 'KRAKEN_STREAM_URL', 'ws://ws.kraken.com'],
    ['a sandbox candle source', 'CANDLE_SOURCES', 'sandbox'],
    ['a contact that is no address', 'SECURITY_CONTACT', 'security@bureau.dev'],
    ['a contact of two lines', 'SECURITY_CONTACT', 'mailto:one@bureau.dev\nContact: mailto:two@bureau.dev'],
    ['a zero spread', 'SPREAD_BPS', '0'],
    ['a spread below 10', 'SPREAD_BPS', '9'],
    ['the public operator token', 'OPERATOR_TOKEN', sandbox['OPERATOR_TOKEN']],
    ['one secret for two purposes', 'AUDITOR_TOKEN', 'o'.repeat(40)],
    ['the public totp secret', 'TOTP_SECRETS', sandbox['TOTP_SECRETS']],
    ['the public deposit token', 'DEPOSIT_TOKEN', sandbox['DEPOSIT_TOKEN']],
    ['the public auditor token', 'AUDITOR_TOKEN', sandbox['AUDITOR_TOKEN']],
    ['the public cursor secret', 'CURSOR_SECRET', sandbox['CURSOR_SECRET']],
    ['a public API key secret', 'API_KEY_SECRETS', sandbox['API_KEY_SECRETS']],
    ['the keys of the sandbox', 'DEPOSIT_KEYS', sandbox['DEPOSIT_KEYS']],
    ['the empty keys of wrangler.toml', 'DEPOSIT_KEYS', '{}'],
    ['Solana addresses of the sandbox', 'SOLANA_ADDRESSES', 'sandbox'],
    ['the custodian of the sandbox', 'CUSTODY_PROVIDER', 'sandbox'],
    ['a custodian without TLS', 'CUSTODY_URL', 'http://custody.bureau.dev'],
    ['the custodian of wrangler.toml, which is a placeholder', 'CUSTODY_URL', 'https://custody.example'],
    ['a placeholder with a port and a dot at its end', 'CUSTODY_URL', 'https://custody.EXAMPLE.:8443/v1'],
    ['a placeholder for a venue', 'BINANCE_URL', 'https://venue.example'],
    ['a placeholder for a venue that is not asked', 'GATE_URL', 'https://example.com'],
    ['a public token in capitals', 'OPERATOR_TOKEN', String(sandbox['OPERATOR_TOKEN']).toUpperCase()],
    ['a public secret in mixed letters', 'TOTP_SECRETS', JSON.stringify({ 1: `SandBox-${'t'.repeat(40)}` })],
    ['a venue without TLS', 'KRAKEN_URL', 'http://api.kraken.com'],
    ['a venue without TLS, though it is no source', 'GATE_URL', 'http://api.gateio.ws'],
    ['two price sources of one host', 'KRAKEN_URL', 'https://data-api.binance.vision/kraken'],
    ['two price sources of one host in other words', 'KRAKEN_URL', 'https://DATA-api.binance.vision.:8443'],
    ['the public custody secret', 'CUSTODY_SECRET', sandbox['CUSTODY_SECRET']],
  ])('of production is refused with %s', (_name, variable, value) => {
    expect(() => start({ ...production, [variable]: value })).toThrow(/configuration refused/);
  });

  it('with a gap in the numbers of its ledgers is refused, whatever else is wrong', () => {
    expect(() => start({ ...production, DB_2: env.DB })).toThrow('DB_2 is bound, and DB_1 is not');
    expect(() => start({ ...production, DB_2: env.DB, SPREAD_BPS: '9' })).toThrow(/SPREAD_BPS .*DB_2 is bound/);
    expect(start({ ...production, DB_1: env.DB })).toMatchObject({ ENVIRONMENT: 'production' });
  });

  it('of production allows two venues on one host when one of them is no price source', () => {
    expect(start({ ...production, COINBASE_URL: 'https://data-api.binance.vision' })).toMatchObject({
      SPREAD_BPS: 20,
    });
  });

  const long = 'x'.repeat(40);
  it.each([
    ['a blank spread, which would be read as 0', 'SPREAD_BPS', ''],
    ['a spread of white space', 'SPREAD_BPS', ' '],
    ['a spread with a blank after it', 'SPREAD_BPS', '20 '],
    ['a spread in hexadecimal', 'SPREAD_BPS', '0x20'],
    ['a spread with an exponent', 'SPREAD_BPS', '1e2'],
    ['a spread with decimals', 'SPREAD_BPS', '20.5'],
    ['a negative spread', 'SPREAD_BPS', '-1'],
    ['a spread above 1,000', 'SPREAD_BPS', '1001'],
    ['a blank cooling period', 'ALLOWLIST_COOLING_HOURS', ''],
    ['a smallest order of nothing', 'ORDER_MIN_USDT', '0'],
    ['a smallest order of nothing, with decimals', 'ORDER_MIN_USDT', '0.000000'],
    ['a smallest order finer than an atom', 'ORDER_MIN_USDT', '0.0000001'],
    ['a blank smallest order', 'ORDER_MIN_USDT', ''],
    ['a largest order of nothing', 'ORDER_MAX_USDT', '0'],
    ['a largest order finer than an atom', 'ORDER_MAX_USDT', '100.0000001'],
    ['a largest order beyond the ledger', 'ORDER_MAX_USDT', '9223372036854.775808'],
    ['a smallest order above the largest', 'ORDER_MIN_USDT', '50000.000001'],
    ['a symbol’s smallest order of nothing', 'ORDER_BOUNDS', '{"DOGE":{"min":"0","max":"10"}}'],
    ['a symbol’s largest order finer than an atom', 'ORDER_BOUNDS', '{"DOGE":{"min":"1","max":"10.0000001"}}'],
    ['a symbol’s smallest order above its largest', 'ORDER_BOUNDS', '{"DOGE":{"min":"11","max":"10"}}'],
    ['a misspelt bound', 'ORDER_BOUNDS', '{"DOGE":{"min":"1","max":"10","maximum":"5"}}'],
    ['a symbol that is no market', 'ORDER_BOUNDS', '{"DOG":{"min":"1","max":"10"}}'],
    ['a token with a blank inside', 'OPERATOR_TOKEN', `${long} ${long}`],
    ['a token with a blank before it', 'DEPOSIT_TOKEN', ` ${long}`],
    ['a token with a line’s end after it', 'AUDITOR_TOKEN', `${long}\n`],
    ['a secret of blanks', 'CURSOR_SECRET', ' '.repeat(40)],
    ['a versioned secret with a tab', 'API_KEY_SECRETS', JSON.stringify({ 1: `${long}\t` })],
    ['a custodian’s secret with a blank', 'CUSTODY_SECRET', `${long} `],
  ])('is refused anywhere with %s, and says which variable', (_name, variable, value) => {
    for (const whole of [production, sandbox]) {
      expect(() => start({ ...whole, [variable]: value })).toThrow(variable);
    }
  });

  it('accepts one atom of USDT as the smallest order, equal bounds, and numbers that are not written as text', () => {
    const least = { ORDER_MIN_USDT: '0.000001', ORDER_BOUNDS: '{"DOGE":{"min":"10","max":"10.00"}}' };
    expect(start({ ...production, ...least, SPREAD_BPS: 20 })).toMatchObject({
      ...least,
      SPREAD_BPS: 20,
      ORDER_BOUNDS: { DOGE: { min: '10', max: '10.00' } },
    });
  });

  const publicKeys = Object.entries(deriveDepositKeys(readSeed(TEST_MNEMONIC)));
  it.each(publicKeys)('of production is refused with the public test mnemonic’s key of %s', (name, key) => {
    const mixed = JSON.stringify({ ...depositKeys, [name]: key });
    expect(() => start({ ...production, DEPOSIT_KEYS: mixed })).toThrow(
      'DEPOSIT_KEYS holds a key of the public test mnemonic',
    );
  });

  // The signing key is optional. It exists when `npm start` has made the secrets of this folder.
  const ofTheTests =
    /^(CUSTODY_SIGNING_KEY|__VITEST|VENUE_SERVER|CUSTODIAN_SERVER|TEST_LENGTH|TEST_LEDGERS|SIMULATION_|GROWTH_)/;
  const variables = Object.entries(production).filter(
    ([name, value]) => typeof value === 'string' && !ofTheTests.test(name),
  );
  it.each(variables.map(([name]) => name))('is refused without %s, which the refusal names', (name) => {
    expect(() => start({ ...production, [name]: undefined })).toThrow(name);
  });

  it('never appears with its values in a refusal', () => {
    const secret = 'short-secret';
    expect(() => start({ ...production, OPERATOR_TOKEN: secret })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(secret) }),
    );
  });

  it('accepts seven price sources, and refuses an eighth', () => {
    const six = 'binance,okx,coinbase,kucoin,kraken,gate';
    expect(start({ ...sandbox, PRICE_SOURCES: `${six},sandbox-a` }).PRICE_SOURCES).toHaveLength(7);
    expect(() => start({ ...sandbox, PRICE_SOURCES: `${six},sandbox-a,sandbox-b` })).toThrow(
      'PRICE_SOURCES has more than 7 sources',
    );
  });

  it.each(['binance,binance', 'binance,,kraken', '', 'binance,mtgox', 'bybit'])(
    'refuses the list of sources %j',
    (list) => {
      expect(() => start({ ...production, PRICE_SOURCES: list })).toThrow('PRICE_SOURCES');
    },
  );
});
