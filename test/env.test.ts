import { describe, expect, it } from 'vitest';
import { deriveDepositKeys, readSeed } from '../scripts/offline-wallet.ts';
import { config, parseConfig } from '../src/env.ts';
import { TEST_MNEMONIC } from './support/address-vectors.ts';
import { env } from './support/test-env.ts';

const depositKeys = deriveDepositKeys(new Uint8Array(64).fill(7));

/** A production configuration that stands. */
const production = {
  ...(env as unknown as Record<string, unknown>),
  ENVIRONMENT: 'production',
  PRICE_SOURCES: 'binance,kraken',
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
  CUSTODY_URL: 'https://custody.example',
  CUSTODY_SECRET: 'p'.repeat(40),
};

describe('the configuration', () => {
  it('of the sandbox stands as it is in wrangler.toml', () => {
    expect(config.ENVIRONMENT).toBe('sandbox');
    expect(config.PRICE_SOURCES).toHaveLength(3);
  });

  it('of production stands with real providers, secrets and a spread', () => {
    expect(parseConfig(production)).toMatchObject({ ENVIRONMENT: 'production', SPREAD_BPS: 20 });
  });

  const sandbox = env as unknown as Record<string, unknown>;
  it.each([
    ['a sandbox price source', 'PRICE_SOURCES', 'binance,sandbox-a'],
    ['a single price source', 'PRICE_SOURCES', 'binance'],
    ['a sandbox candle source', 'CANDLE_SOURCES', 'sandbox'],
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
    ['a custodian without TLS', 'CUSTODY_URL', 'http://custody.example'],
    ['the public custody secret', 'CUSTODY_SECRET', sandbox['CUSTODY_SECRET']],
  ])('of production is refused with %s', (_name, variable, value) => {
    expect(() => parseConfig({ ...production, [variable]: value })).toThrow(/configuration refused/);
  });

  const publicKeys = Object.entries(deriveDepositKeys(readSeed(TEST_MNEMONIC)));
  it.each(publicKeys)('of production is refused with the public test mnemonic’s key of %s', (name, key) => {
    const mixed = JSON.stringify({ ...depositKeys, [name]: key });
    expect(() => parseConfig({ ...production, DEPOSIT_KEYS: mixed })).toThrow(
      'DEPOSIT_KEYS holds a key of the public test mnemonic',
    );
  });

  const ofTheTests = /^(__VITEST|VENUE_SERVER|CUSTODIAN_SERVER|MIGRATIONS|SIMULATION_|GROWTH_)/;
  const variables = Object.entries(production).filter(
    ([name, value]) => typeof value === 'string' && !ofTheTests.test(name),
  );
  it.each(variables.map(([name]) => name))('is refused without %s, and says its name', (name) => {
    expect(() => parseConfig({ ...production, [name]: undefined })).toThrow(name);
  });

  it('never shows a value in what it refuses', () => {
    const secret = 'short-secret';
    expect(() => parseConfig({ ...production, OPERATOR_TOKEN: secret })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(secret) }),
    );
  });

  it('takes six price sources, which is as many as are asked at once, and no seventh', () => {
    const six = 'binance,okx,coinbase,kucoin,kraken,gate';
    expect(parseConfig({ ...production, PRICE_SOURCES: six }).PRICE_SOURCES).toHaveLength(6);
    expect(() => parseConfig({ ...sandbox, PRICE_SOURCES: `${six},sandbox-a` })).toThrow(
      'PRICE_SOURCES has more than 6 sources',
    );
  });

  it.each(['binance,binance', 'binance,,kraken', '', 'binance,mtgox', 'bybit'])(
    'refuses the list of sources %j',
    (list) => {
      expect(() => parseConfig({ ...production, PRICE_SOURCES: list })).toThrow('PRICE_SOURCES');
    },
  );
});
