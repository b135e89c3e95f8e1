import type { EvmNetwork } from '../networks.ts';
import type { Accounts } from '../payer/order-account-payments.ts';
import type { HouseAddresses } from '../signer/requests.ts';
import type { Database } from '../store/database.ts';
import { costOf, sumCommitted } from './commitments.ts';
import type { EvmNode } from './evm-node.ts';
import { readFees } from './evm-payer.ts';
import { readL1Fee } from './l1-fee.ts';
import { readTokenBalance } from './token-balance.ts';
import { writeTransfer } from './token-transfer.ts';

/** What the accounts of an EVM network are read with. */
export interface EvmAccountsTools {
  readonly network: EvmNetwork;
  readonly node: EvmNode;
  readonly database: Database;
  readonly house: HouseAddresses;
}

/** The balance of a coin or a token after the newest block, or after the one with this hash. */
export function readEvmBalance(node: EvmNode, contract: string | null, owner: string, hash?: string): Promise<bigint> {
  return contract === null ? node.balance(owner, hash) : readTokenBalance(node, contract, owner, hash);
}

/** The accounts of an EVM network, for the house's own payments. */
export function readEvmAccounts({ network, node, database, house }: EvmAccountsTools): Accounts {
  return {
    balance: (contract, owner) => readEvmBalance(node, contract, owner),
    // With the margins of `evm-payer.ts`: a fifth more gas, and twice the base fee.
    sweepCost: async (contract, from, atoms) => {
      const data = contract === null ? '0x' : writeTransfer(house.hot, atoms);
      const call = { from, to: contract ?? house.hot, value: '0', data };
      const [gas, fees, l1Fee] = await Promise.all([
        node.estimateGas(call),
        readFees(node),
        readL1Fee(node, network, data),
      ]);
      return ((gas * 6n) / 5n) * fees.maxFeePerGas + l1Fee;
    },
    committed: (contract) => {
      const { coins, tokens } = sumCommitted(database, network, house.hot, contract, costOf);
      return contract === null ? coins : tokens;
    },
  };
}
