import { beforeAll, describe, expect, it } from 'vitest';
import { openVenue } from '../../scripts/start/open-venue.ts';
import { SANDBOX_VENUE, VENUE_TERMS } from '../../src/sandbox/demo.ts';
import { publicSecrets } from '../../src/public-secrets.ts';
import type { Client } from '../support/client.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';
import { waitFor } from '../support/wait-for.ts';

/** The exchange of `npm start`, whose hedger deals at the sandbox's own venue. */
const { origin, exchange, operator } = await openExchange();

interface Shown {
  readonly asset: string;
  readonly position: string;
  readonly price: string;
  readonly atVenues: string;
}

interface Hedge {
  readonly id: string;
  readonly status: string;
  readonly side: string;
}

let client: Client;
beforeAll(async () => {
  await openVenue({ origin } as Parameters<typeof openVenue>[0], publicSecrets.OPERATOR_TOKEN, 1);
  client = await operator.openClient({ USDT: '100000', BTC: '1' });
});

const listHedges = () => exchange.probe.query<Hedge>('SELECT id, status, side FROM hedges ORDER BY id');

async function readBitcoin(): Promise<Shown | undefined> {
  const { house } = await operator.operate<{ house: { assets: Shown[] } }>('GET', '/house');
  return house.assets.find(({ asset }) => asset === 'BTC');
}

/** The value of the house's position of bitcoin, in USDT. */
async function readPosition(): Promise<number> {
  const bitcoin = await readBitcoin();
  return Math.abs(Number(bitcoin?.position) * Number(bitcoin?.price));
}

describe('an exchange of npm start', () => {
  it.each([
    ['BUY', '100'],
    ['SELL', '200'],
  ])('hedges a few small orders of clients who %s, and its position is within the band again', async (side, value) => {
    for (let count = 0; count < 3; count += 1) {
      await client.trade({ coin: 'BTC', side, mode: 'USDT_AMOUNT', value });
    }
    await waitFor(async () => expect((await listHedges()).at(-1)).toMatchObject({ status: 'DEALT', side }));
    expect(await readPosition()).toBeLessThan(Number(VENUE_TERMS.outer));
  });

  it('finds at the venue what it has there, and each order there to be one hedge’s', async () => {
    // The keeper compares the list of the minute before.
    for (let minute = 0; minute < 2; minute += 1) await exchange.probe.schedule();
    const checked = async () => {
      const { reconciliation } = await operator.operate<{
        reconciliation: { status: string; invariants: { name: string; figures: { checked?: string } }[] };
      }>('POST', '/reconciliation/run');
      expect(reconciliation.status).toBe('ok');
      return reconciliation.invariants.find(({ name }) => name === 'hedges_sent_once')?.figures.checked;
    };
    await waitFor(async () => expect(Number(await checked())).toBeGreaterThan(0));
    const [book] = await exchange.probe.query<{ amount: number }>(
      `SELECT -amount AS amount FROM balances WHERE account = 'house:venue:${SANDBOX_VENUE}' AND asset = 'BTC'`,
    );
    expect(Number((await readBitcoin())?.atVenues)).toBeCloseTo((book?.amount ?? 0) / 1e8, 8);
    const settings = await operator.operate<{ settings: { hedgingHalted: boolean } }>('GET', '/settings');
    expect(settings.settings.hedgingHalted).toBe(false);
  });
});
