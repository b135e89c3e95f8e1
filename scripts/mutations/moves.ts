import type { Room } from './mutation.ts';

const refusals = 'test/operator/move-refusals.three-ledgers.test.ts';
const interruptions = 'test/operator/move-interruptions.three-ledgers.test.ts';
const account = 'test/operator/moved-account.three-ledgers.test.ts';

export const moves: Room = {
  name: 'moves',
  file: 'src/operator/move-account.ts',
  tests: ['test/operator/move-records.three-ledgers.test.ts'],
  mutations: [
    {
      name: 'the lanes are not told before an account leaves',
      find: 'if (!(await tellLanes(bindings, accountId, actor.now_ms))) return laneUnreachable;',
      replace: '',
      tests: [refusals],
    },
    {
      name: 'an account that was moved is moved again',
      find: 'if (found.value.home.movedTo !== to) {',
      replace: 'if (found.value.home.movedTo === null) {',
    },
    {
      name: 'what is open of an account is not looked at before it leaves',
      file: 'src/accounts/moves/leave-ledger.ts',
      find: 'until !== undefined && until[name] > now_ms',
      replace: 'false',
      tests: [refusals],
    },
    {
      name: 'the directory is not told where an account is',
      file: 'src/accounts/moves/finish-move.ts',
      find: 'await claimNames(directoryOf(bindings), [{ ...nameHome(accountId), holder: String(row.movedTo) }]);',
      replace: '',
      tests: [account],
    },
    {
      name: 'the keeper finishes no move',
      file: 'src/accounts/moves/finish-move.ts',
      find: 'await finishMove(bindings, id, now_ms);',
      replace: '',
      tests: [interruptions],
    },
    {
      name: 'an account is taken to be where it was while it is on its way',
      file: 'src/ledger/homes.ts',
      find: 'if (arrived !== 1) throw',
      replace: 'if (arrived > 1) throw',
      tests: [interruptions],
    },
    {
      name: 'a read shows what an account left behind meanwhile',
      file: 'src/access/admit-read.ts',
      find: 'if (account.isFrozen) await confirmHome(c.env, account);',
      replace: '',
      tests: [interruptions],
    },
    {
      name: 'a lane goes on with the ledger that a frozen account was in',
      file: 'src/lane/key-lane.ts',
      find: "if (record.accountStatus === 'active') return accept(record);",
      replace: 'if (record.ledger >= 0) return accept(record);',
    },
    {
      name: 'an order that was lost before a move is looked for where none is made any more',
      file: 'src/lane/execute-once.ts',
      find: 'earlier ? ledgerNumberOf(earlier.recordId) !== lane.ledger : false',
      replace: 'false',
    },
    {
      name: 'a page shows the records of one ledger alone',
      file: 'src/ledger/homes.ts',
      find: ': [openHome(bindings, account), openLedger(bindings, first)];',
      replace: ': [openHome(bindings, account)];',
    },
    {
      name: 'a deposit stays with the ledger that had claimed its output and that its account has left',
      file: 'src/wallet/deposits/report-deposit.ts',
      find: 'if (hasLeft && ',
      replace: 'if (false && ',
      tests: [interruptions],
    },
    {
      name: 'the reconciliation does not count what a move takes out of a balance and brings in',
      file: 'src/ledger/reconciliation/movement-records.ts',
      find: ', sign: `iif(${isOut}, -1, 1)` }',
      replace: ' }',
    },
  ],
};
