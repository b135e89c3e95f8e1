import { showAmount, showCents } from '../../format.ts';
import { operate } from '../operate.ts';

/** The withdrawal or the deposit that a request is about. */
export interface NamedRecord {
  readonly path: string;
  readonly name: string;
  /** What follows its kind in a sentence. */
  readonly words: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
}

const shorten = (address: string) => (address.length > 20 ? `${address.slice(0, 8)}…${address.slice(-6)}` : address);

/** Reads the record that the path of a request names. `undefined` when it names none, or the record cannot be read. */
export async function findRecord(path: string): Promise<NamedRecord | undefined> {
  const [, id, withdrawalId] = /\/accounts\/([^/]+)\/withdrawals\/([^/]+)\/settle$/.exec(path) ?? [];
  const [, depositId] = /\/deposits\/([^/]+)\/credit$/.exec(path) ?? [];
  try {
    if (id !== undefined && withdrawalId !== undefined) return await nameWithdrawal(id, withdrawalId);
    return depositId === undefined ? undefined : await nameDeposit(depositId);
  } catch {
    // The proposal is shown all the same, with the end of the id.
    return undefined;
  }
}

async function nameWithdrawal(id: string, withdrawalId: string): Promise<NamedRecord> {
  const { withdrawal } = await operate('get /accounts/{id}/withdrawals/{withdrawalId}', { path: { id, withdrawalId } });
  const { amount, asset, network, address, usdValue } = withdrawal;
  const sum = `${showAmount(amount)} ${asset}`;
  return {
    path: `/desk/withdrawals/${id}/${withdrawalId}`,
    name: `Withdrawal of ${sum}`,
    words: `of ${sum} over ${network} to ${shorten(address)}`,
    facts: [
      ['Worth', `${showCents(usdValue)} USDT`],
      ['Destination', `${network}, ${address}`],
    ],
  };
}

async function nameDeposit(id: string): Promise<NamedRecord> {
  const { deposit } = await operate('get /deposits/{id}', { path: { id } });
  const { exactAmount, amount, asset, network, address } = deposit;
  const sum = `${showAmount(exactAmount ?? amount)} ${asset}`;
  return {
    path: `/desk/deposits/${id}`,
    name: `Deposit of ${sum}`,
    words: `of ${sum}${network === null ? '' : ` over ${network}`}`,
    facts: address === null ? [] : [['Arrived at', `${network}, ${address}`]],
  };
}
