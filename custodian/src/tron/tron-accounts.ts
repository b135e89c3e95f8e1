import { accountOf } from '../account-address.ts';
import { sumCommitted } from '../evm/commitments.ts';
import { writeTransfer } from '../evm/token-transfer.ts';
import type { TronNetwork } from '../networks.ts';
import { NodeRefusal } from '../nodes/json-rpc.ts';
import type { Accounts } from '../payer/order-account-payments.ts';
import type { HouseAddresses } from '../signer/requests.ts';
import type { Database } from '../store/database.ts';
import { maxFeeOf } from './fees.ts';
import type { TronNode } from './tron-node.ts';
import { costOf, estimateFeeLimit } from './tron-payer.ts';

/** The accounts of Tron, for the house's own payments. TRX is no asset of Bureau: it only pays fees. */
export function readTronAccounts(tools: {
  readonly network: TronNetwork;
  readonly node: TronNode;
  readonly database: Database;
  readonly house: HouseAddresses;
}): Accounts {
  const { network, node, database, house } = tools;
  return {
    balance: (contract, owner) => (contract === null ? node.balance(owner) : node.tokenBalance(contract, owner)),
    sweepCost: async (contract, from, atoms) => {
      if (contract === null) return maxFeeOf({ data: '0x', feeLimit: '0' });
      const data = writeTransfer(accountOf(network, house.hot), atoms);
      const limit = await estimateFeeLimit(node, contract, from, data);
      if (limit === undefined) throw new NodeRefusal(0, `${contract} would revert a transfer from ${from}`);
      return maxFeeOf({ data, feeLimit: String(limit) });
    },
    committed: (contract) => {
      const { coins, tokens } = sumCommitted(database, network, house.hot, contract, costOf);
      return contract === null ? coins : tokens;
    },
  };
}
