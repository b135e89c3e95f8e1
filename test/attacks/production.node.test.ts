import { beforeAll, expect, inject, it } from 'vitest';
import { deriveDepositKeys } from '../../scripts/offline-wallet.ts';
import { findRefusedStarts, readProductionVariables } from '../support/node/exchange/find-refused-starts.ts';

const shipped = readProductionVariables();

const filled = {
  ...shipped,
  DEPOSIT_KEYS: JSON.stringify(deriveDepositKeys(new Uint8Array(64).fill(7))),
  CUSTODY_URL: 'https://custody.bureau.dev',
  API_KEY_SECRETS: JSON.stringify({ 1: 'k'.repeat(40) }),
  TOTP_SECRETS: JSON.stringify({ 1: 't'.repeat(40) }),
  CURSOR_SECRET: 'c'.repeat(40),
  OPERATOR_TOKEN: 'o'.repeat(40),
  DEPOSIT_TOKEN: 'd'.repeat(40),
  AUDITOR_TOKEN: 'a'.repeat(40),
  CUSTODY_SECRET: 'p'.repeat(40),
};

/** One of the variables and one of the secrets; the rules of each are tested by themselves. */
const faults = {
  'placeholder-custodian': { CUSTODY_URL: 'https://custody.example' },
  'token-with-a-blank': { OPERATOR_TOKEN: `${'o'.repeat(20)} ${'o'.repeat(20)}` },
} as const satisfies Record<string, Record<string, string>>;

let refused: Record<string, string>;

beforeAll(async () => {
  const starts = Object.entries(faults).map(([name, fault]) => [name, { ...filled, ...fault }] as const);
  refused = await findRefusedStarts(inject('workerBundle'), { filled, ...Object.fromEntries(starts) });
});

it('the Worker starts with production’s configuration when the operator has filled it in', () => {
  expect(refused).not.toHaveProperty('filled');
});

it.each(Object.entries(faults))('it does not start with a %s, and names the variable', (name, fault) => {
  expect(refused[name]).toMatch(new RegExp(`^configuration refused: ${Object.keys(fault).join()} `));
});
