import type { Room } from './mutation.ts';

const DUST = 'migrations/0005_deposits.sql';
const QUARANTINE = 'migrations/0005_deposits.sql';
const quarantineTest = 'test/operator/quarantine.test.ts';

export const deposits: Room = {
  name: 'deposits',
  file: 'src/deposits/report-deposit.ts',
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
      name: 'the sum of deposits below the minimum is cut off at nine decimals',
      file: DUST,
      find: 'substr(fraction, 10, 9)',
      replace: 'substr(fraction, 10, 0)',
    },
    {
      name: 'a quarantined deposit may be decided again after its credit',
      file: QUARANTINE,
      find: "WHERE OLD.decision IS 'CREDITED' OR (OLD.decision IS 'KEPT' AND NEW.decision IS NOT 'CREDITED')",
      replace: 'WHERE 0',
      tests: [quarantineTest],
    },
    {
      name: 'a quarantined deposit is credited to another account than the audit says',
      file: QUARANTINE,
      find: "AND action = 'credit_deposit' AND detail ->> 'accountId' = NEW.credit_account)",
      replace: "AND action = 'credit_deposit')",
      tests: [quarantineTest],
    },
    {
      name: 'a report credits a deposit that was kept',
      find: "(standing.reason === 'supply_cap' && !standing.decision)",
      replace: "standing.reason === 'supply_cap'",
      tests: [quarantineTest],
    },
    {
      name: 'a revert of a deposit that was credited out of the quarantine is taken',
      find: "(standing.status === 'COMPLETED' || standing.decision === 'CREDITED')",
      replace: "standing.status === 'COMPLETED'",
      tests: [quarantineTest],
    },
  ],
};
