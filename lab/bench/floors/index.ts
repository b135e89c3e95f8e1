import { DurableObject } from 'cloudflare:workers';
import { Hono } from 'hono';
import { assetSymbols } from '../../../src/money/assets.ts';

const PAGE_ROWS = 50;

/** The owner of the rows that every trader's money moves to and from. */
const HOUSE = 'house';

/** The rows that a floor's batch wrote, as D1 counts them. */
interface Written {
  readonly rows: number;
}

interface Bindings {
  readonly DB: D1Database;
  readonly FLOOR: DurableObjectNamespace<Floor>;
}

/** Plain tables with the same rows as the exchange's, but without triggers, guards and checks. */
const tables = [
  `CREATE TABLE records (owner TEXT NOT NULL, id INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (owner, id)) WITHOUT ROWID`,
  `CREATE TABLE journal (id INTEGER PRIMARY KEY, debit TEXT NOT NULL, credit TEXT NOT NULL, asset TEXT NOT NULL,
    amount INTEGER NOT NULL, kind TEXT NOT NULL, reference TEXT NOT NULL, ts INTEGER NOT NULL)`,
  `CREATE TABLE balances (owner TEXT NOT NULL, asset TEXT NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (owner, asset)) WITHOUT ROWID`,
];

const RECORD = JSON.stringify({ status: 'COMPLETED', price: '65000.00000000', amount: '123456789', value: '80246' });

const insertJournal = (rows: number) =>
  `INSERT INTO journal (debit, credit, asset, amount, kind, reference, ts) VALUES ${Array.from({ length: rows }, () => '(?1, ?2, ?3, 1, ?4, ?5, ?6)').join()}`;

/** The object that writes all orders, as the exchange's gate does. */
const GATE = 'gate';

/** One object per trader, as the exchange has one per key, and one for all orders. It does not queue requests. */
export class Floor extends DurableObject<Bindings> {
  #newest = 0;

  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings);
    state.storage.sql.exec('CREATE TABLE IF NOT EXISTS intents (id TEXT PRIMARY KEY) WITHOUT ROWID');
  }

  answer(): string {
    return this.ctx.id.toString();
  }

  /** The same after one row was stored durably in the object. An order needs this row to take effect only once. */
  async intendOrder(owner: string): Promise<Written> {
    this.ctx.storage.sql.exec('INSERT INTO intents VALUES (?)', crypto.randomUUID());
    await this.ctx.storage.sync();
    return this.placeOrder(owner);
  }

  placeOrder(owner: string): Promise<Written> {
    return this.env.FLOOR.getByName(GATE).commitOrder(owner);
  }

  /** Writes the seven rows of an order in one batch: a record, two transfers, four balances. */
  async commitOrder(owner: string): Promise<Written> {
    const id = this.#nextId();
    const results = await this.env.DB.batch([
      this.env.DB.prepare('INSERT INTO records VALUES (?1, ?2, ?3)').bind(owner, id, RECORD),
      this.#journal(2, owner, id),
      this.#move(owner, [owner, HOUSE], ['USDT', 'BTC']),
    ]);
    return { rows: countRows(results) };
  }

  /**
   * Makes the three round trips of a withdrawal: one that reads what it depends on, one that writes the four rows that
   * take the money, and one that writes the nine rows that settle it.
   */
  async withdraw(owner: string): Promise<Written> {
    const id = this.#nextId();
    await this.env.DB.prepare('SELECT owner, asset, amount FROM balances WHERE owner = ?').bind(owner).all();
    const taken = await this.env.DB.batch([
      this.env.DB.prepare('INSERT INTO records VALUES (?1, ?2, ?3)').bind(owner, id, RECORD),
      this.#journal(1, owner, id),
      this.#move(owner, [owner, HOUSE], ['USDT']),
    ]);
    const settled = await this.env.DB.batch([
      this.env.DB.prepare('UPDATE records SET body = ?3 WHERE owner = ?1 AND id = ?2').bind(owner, id, RECORD),
      this.#journal(2, owner, id),
      this.#move(owner, [owner, HOUSE], ['USDT', 'BTC', 'ETH']),
    ]);
    return { rows: countRows([...taken, ...settled]) };
  }

  #nextId(): number {
    this.#newest = Math.max(this.#newest + 1, Date.now() * 1_000);
    return this.#newest;
  }

  #journal(rows: number, owner: string, id: number): D1PreparedStatement {
    return this.env.DB.prepare(insertJournal(rows)).bind(owner, HOUSE, 'USDT', 'order', String(id), Date.now());
  }

  #move(owner: string, owners: readonly string[], assets: readonly string[]): D1PreparedStatement {
    return this.env.DB.prepare(
      `UPDATE balances SET amount = amount + CASE owner WHEN ? THEN 1 ELSE -1 END
       WHERE owner IN (${places(owners)}) AND asset IN (${places(assets)})`,
    ).bind(owner, ...owners, ...assets);
  }
}

function places(values: readonly string[]): string {
  return values.map(() => '?').join();
}

function countRows(results: readonly D1Result[]): number {
  return results.reduce((rows, { meta }) => rows + meta.rows_written, 0);
}

/**
 * A Worker that makes only the platform calls that each kind of request cannot do without. It admits, counts, checks
 * and remembers nothing. Its throughput is the limit for the exchange in the same runtime.
 */
const app = new Hono<{ Bindings: Bindings }>();

app.get('/empty', (c) => c.body(null));

app.get('/cached/:name', async (c) => (await caches.default.match(c.req.raw)) ?? c.notFound());

app.put('/cached/:name', async (c) => {
  const stored = new Response(await c.req.text(), {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=3600' },
  });
  await caches.default.put(new Request(c.req.url), stored);
  return c.body(null);
});

app.post('/called/:owner', async (c) => {
  await c.req.json();
  return c.text(await c.env.FLOOR.getByName(c.req.param('owner')).answer());
});

app.get('/balances/:owner', async (c) => {
  const owner = c.req.param('owner');
  await c.env.FLOOR.getByName(owner).answer();
  const rows = await c.env.DB.prepare('SELECT asset, amount FROM balances WHERE owner = ?').bind(owner).all();
  return c.json(rows.results);
});

app.get('/records/:owner', async (c) => {
  const owner = c.req.param('owner');
  await c.env.FLOOR.getByName(owner).answer();
  const page = c.env.DB.prepare('SELECT id, body FROM records WHERE owner = ? ORDER BY id DESC LIMIT ?');
  return c.json((await page.bind(owner, PAGE_ROWS).all()).results);
});

app.post('/orders/:owner', async (c) => {
  await c.req.json();
  const owner = c.req.param('owner');
  return c.json(await c.env.FLOOR.getByName(owner).placeOrder(owner));
});

app.post('/intents/:owner', async (c) => {
  await c.req.json();
  const owner = c.req.param('owner');
  return c.json(await c.env.FLOOR.getByName(owner).intendOrder(owner));
});

app.post('/withdrawals/:owner', async (c) => {
  await c.req.json();
  const owner = c.req.param('owner');
  return c.json(await c.env.FLOOR.getByName(owner).withdraw(owner));
});

app.post('/prepare', async (c) => {
  const owners = await c.req.json<string[]>();
  await c.env.DB.batch(tables.map((sql) => c.env.DB.prepare(sql)));
  for (const owner of [HOUSE, ...owners]) {
    await c.env.DB.batch([
      ...assetSymbols.map((asset) => c.env.DB.prepare('INSERT INTO balances VALUES (?, ?, 0)').bind(owner, asset)),
      ...Array.from({ length: PAGE_ROWS }, (_, id) =>
        c.env.DB.prepare('INSERT INTO records VALUES (?, ?, ?)').bind(owner, id, RECORD),
      ),
    ]);
  }
  return c.body(null);
});

export default app satisfies ExportedHandler<Bindings>;
