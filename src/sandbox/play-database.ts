import { currentScene } from './scenario.ts';

/** What the platform says of a lost connection to D1, and of a database that turns a query away before running it. */
const LOST = 'Network connection lost.';
const OVERLOADED = 'D1 is overloaded. Requests queued for too long.';

/** An error as D1 throws it: the code is in the outer message, and not in that of the cause. */
const failD1 = (message: string) => new Error(`D1_ERROR: ${message}`, { cause: new Error(message) });

const WRITES_WITHDRAWAL = /^\s*insert into "withdrawals"/i;

/** A played statement's real one, and its text. */
const originals = new WeakMap<D1PreparedStatement, { readonly statement: D1PreparedStatement; readonly sql: string }>();

/**
 * The database as an object of the sandbox reaches it: the real one, whose connection a scenario loses or overloads.
 * A batch is run whole or not at all before that, so what a client then finds out is the truth.
 */
export function playDatabase(database: D1Database): D1Database {
  const played = {
    prepare: (sql: string) => playStatement(database.prepare(sql), sql),
    batch: (statements: D1PreparedStatement[]) => playBatch(database, statements),
  };
  return new Proxy(database, {
    get: (target, name) => Reflect.get(played, name) ?? bindMember(target, name),
  });
}

function playStatement(statement: D1PreparedStatement, sql: string): D1PreparedStatement {
  const played = new Proxy(statement, {
    get(target, name) {
      if (name === 'bind') return (...values: unknown[]) => playStatement(target.bind(...values), sql);
      const member = bindMember(target, name);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]) =>
        currentScene()?.isCutOff ? Promise.reject(failD1(LOST)) : (member as Method)(...values);
    },
  });
  originals.set(played, { statement, sql });
  return played;
}

async function playBatch(database: D1Database, played: D1PreparedStatement[]): Promise<D1Result[]> {
  const scene = currentScene();
  if (scene?.isCutOff) throw failD1(LOST);
  const known = played.map((statement) => originals.get(statement) ?? { statement, sql: '' });
  const statements = known.map(({ statement }) => statement);
  if (!scene || !known.some(({ sql }) => WRITES_WITHDRAWAL.test(sql))) return database.batch(statements);
  if (scene.scenario === 'service_unavailable') throw failD1(OVERLOADED);
  const results = await database.batch(statements);
  if (scene.scenario !== 'outcome_unknown') return results;
  scene.isCutOff = true;
  throw failD1(LOST);
}

type Method = (...values: unknown[]) => unknown;

/** A member of something that the platform made, which may only be called as its own. */
function bindMember(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name, target);
  return typeof member === 'function' ? (member as Method).bind(target) : member;
}
