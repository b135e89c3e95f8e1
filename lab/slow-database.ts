/**
 * A function of an entry's script, `slowDatabase(database, before, after)`: D1 with a wait before each call, which is
 * told whether it is a `batch` or a `query`, and another after the results of a batch.
 */
export const SLOW_DATABASE = `
const originals = new WeakMap();
const bound = (target, name) => (typeof target[name] === 'function' ? target[name].bind(target) : target[name]);

const slowStatement = (statement, before) => {
  const slowed = new Proxy(statement, {
    get(target, name) {
      if (name === 'bind') return (...values) => slowStatement(target.bind(...values), before);
      if (!['all', 'first', 'raw', 'run'].includes(name)) return bound(target, name);
      return async (...values) => {
        await before('query');
        return target[name](...values);
      };
    },
  });
  originals.set(slowed, statement);
  return slowed;
};

const slowDatabase = (database, before, after = async () => {}) => new Proxy(database, {
  get(target, name) {
    if (name === 'prepare') return (sql) => slowStatement(target.prepare(sql), before);
    if (name === 'withSession') return (...values) => slowDatabase(target.withSession(...values), before, after);
    if (name !== 'batch') return bound(target, name);
    return async (statements) => {
      await before('batch');
      const results = await target.batch(statements.map((statement) => originals.get(statement) ?? statement));
      await after(results);
      return results;
    };
  },
});`;
