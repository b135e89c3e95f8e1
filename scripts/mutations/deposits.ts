import type { Room } from './mutation.ts';

const DUST = 'migrations/0005_deposits.sql';

export const deposits: Room = {
  name: 'deposits',
  file: 'src/wallet/deposits/report-deposit.ts',
  tests: ['test/operator/dust.test.ts'],
  mutations: [
    { name: 'a deposit below the minimum is credited', find: 'if (amount < minimum)', replace: 'if (amount === 0n)' },
    {
      name: 'a deposit of exactly the minimum is not credited',
      find: 'if (amount < minimum)',
      replace: 'if (amount <= minimum)',
    },
    {
      name: 'every report writes the number of confirmations',
      find: 'if (status === standing.status) {',
      replace: 'if (status === standing.status && report.confirmations <= standing.confirmations) {',
    },
    {
      name: 'a deposit that was too small may be credited later',
      file: DUST,
      find: "WHERE OLD.reason IS 'below_minimum' AND NEW.status IS NOT 'FAILED'",
      replace: 'WHERE 0',
    },
    {
      name: 'the sum of deposits below the minimum is cut off at nine decimals',
      file: DUST,
      find: "'.') + 10, 9) AS INTEGER)\n    WHERE asset = NEW.asset",
      replace: "'.') + 10, 0) AS INTEGER)\n    WHERE asset = NEW.asset",
    },
    {
      name: 'a deposit below the minimum that failed stays in the sum',
      file: DUST,
      find: "WHEN OLD.reason IS 'below_minimum' AND NEW.reason IS NOT 'below_minimum'",
      replace: 'WHEN 0',
    },
  ],
};
