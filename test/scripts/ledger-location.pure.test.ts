import { describe, expect, it } from 'vitest';
import { compareLocation, readConfiguredLocation } from '../../scripts/ledger-location.ts';
import wranglerToml from '../../wrangler.toml?raw';

/** The output of `wrangler d1 execute DB --remote --json --command 'SELECT 1'`. */
const answered = (region: string) =>
  JSON.stringify([
    {
      results: [{ '1': 1 }],
      success: true,
      meta: { served_by: 'v3-prod', served_by_region: region, served_by_primary: true, duration: 0.2, rows_read: 0 },
    },
  ]);

describe('the location of the ledger’s gate', () => {
  it('is right when it is the region that the database answers from', () => {
    expect(compareLocation('weur', answered('WEUR')).isRight).toBe(true);
    expect(compareLocation('weur', `some words before\n${answered('WEUR')}`).isRight).toBe(true);
  });

  it('is wrong otherwise, and the message names both', () => {
    const { isRight, detail } = compareLocation('weur', answered('ENAM'));
    expect(isRight).toBe(false);
    expect(detail).toMatch(/enam.*weur/);
  });

  it.each(['', 'not JSON', '[]', '{}', '[{"results":[],"success":true,"meta":{"duration":1}}]'])(
    'is not taken for right by an answer that names no region: %j',
    (answer) => {
      expect(compareLocation('weur', answer).isRight).toBe(false);
    },
  );

  it('is read from the configuration that is deployed', () => {
    expect(readConfiguredLocation(wranglerToml)).toBe('weur');
    expect(() => readConfiguredLocation('[vars]\nLEDGER_LOCATION = "weur"\n')).toThrow('LEDGER_LOCATION');
  });
});
