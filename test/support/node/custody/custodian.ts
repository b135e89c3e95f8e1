import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { readOrder } from '../../../../custodian/src/contract/payout-order.ts';
import type { Network } from '../../../../src/money/networks.ts';
import type { Payout } from '../../../../src/custody/custody.ts';
import type { CustodianAct, CustodianPayout } from './custodian-state.ts';

/** The body of a submission, or `undefined` when it is not a valid one for that withdrawal. */
export function readPayout(withdrawalId: string, text: string): Payout | undefined {
  const order = readOrder(text);
  return order?.withdrawalId === withdrawalId ? (order as Payout) : undefined;
}

/**
 * The custodian's records, as docs/custody.md requires them: one entry per withdrawal id, paid once at most, and never
 * both paid and refused. Everything in it is synchronous, as a transaction of a real custodian would be.
 */
export class CustodianBook {
  readonly #payouts = new Map<string, CustodianPayout>();

  list(): CustodianPayout[] {
    return [...this.#payouts.values()];
  }

  find(withdrawalId: string): CustodianPayout | undefined {
    return this.#payouts.get(withdrawalId);
  }

  /** Records a submission. The decision about an earlier one remains. */
  submit(payout: Payout, act: CustodianAct): void {
    if (act === 'nothing') return;
    if (this.find(payout.withdrawalId) === undefined) {
      const entry = { payout, status: 'accepted', txHash: null, reason: null, payments: 0 } as const;
      this.#payouts.set(payout.withdrawalId, entry);
      this.decide(payout.withdrawalId, act);
    }
    if (act === 'rehash') this.decide(payout.withdrawalId, act);
  }

  /** Pays or refuses an accepted payout, or gives a paid one another hash. */
  decide(withdrawalId: string, act: CustodianAct): void {
    const entry = this.find(withdrawalId);
    if (entry === undefined) return;
    if (act === 'pay' && entry.status === 'accepted') {
      const payments = entry.payments + 1;
      this.#payouts.set(withdrawalId, { ...entry, status: 'sent', txHash: makeHash(entry.payout, 0), payments });
    }
    if (act === 'refuse' && entry.status === 'accepted') {
      this.#payouts.set(withdrawalId, { ...entry, status: 'refused', reason: 'the address is on a sanctions list' });
    }
    if (act === 'rehash' && entry.status === 'sent') {
      const replacements = [1, 2, 3, 4, 5, 6, 7, 8].map((round) => makeHash(entry.payout, round));
      const next = replacements[replacements.indexOf(entry.txHash ?? '') + 1] ?? null;
      this.#payouts.set(withdrawalId, { ...entry, txHash: next });
    }
  }
}

const bareHexNetworks: readonly Network[] = ['BTC', 'LTC', 'DOGE', 'TRC20'];

function makeHash({ withdrawalId, network }: Payout, round: number): string {
  const bytes = createHash('sha512').update(`${withdrawalId} ${round}`).digest();
  if (network === 'SOL') return base58.encode(bytes);
  const hash = bytes.toString('hex').slice(0, 64);
  return bareHexNetworks.includes(network) ? hash : `0x${hash}`;
}
