import { parseArgs } from 'node:util';
import { DealId } from '../../../src/dealing/contract.ts';
import { shortenAmount } from '../amounts.ts';
import { type End, Store } from '../store.ts';

/**
 * A person's decision about a deal that has not ended, also while the dealer runs. DEALER_DATABASE names its file.
 *
 *     decide never <id> '<why>'
 *     decide dealt <id> --amount 0.04 --cost 2607.28 [--fee 0.00004 --fee-asset BTC] --reference 28
 */
const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { amount: text, cost: text, fee: text, 'fee-asset': text, reference: text },
});
const [verb, id = '', why = ''] = positionals;

function readEnd(): End {
  if (verb === 'never' && why !== '') return { state: 'REFUSED', reason: `by_hand: ${why}`.slice(0, 300) };
  const { amount, cost, fee, 'fee-asset': asset, reference } = values;
  if (verb !== 'dealt' || amount === undefined || cost === undefined || reference === undefined) {
    throw new Error('decide never <id> <why>, or decide dealt <id> --amount … --cost … --reference …');
  }
  if ((fee === undefined) !== (asset === undefined))
    throw new Error('--fee needs --fee-asset, and the other way round');
  const paid = fee === undefined || asset === undefined ? null : { asset, amount: shortenAmount(fee) };
  return { state: 'DEALT', amount: shortenAmount(amount), cost: shortenAmount(cost), fee: paid, reference };
}

const file = process.env['DEALER_DATABASE'];
if (file === undefined) throw new Error('DEALER_DATABASE is missing');
const end = readEnd();
const store = new Store(file);
if (!store.end(DealId.parse(id), end, Date.now())) throw new Error('this deal is not open');
console.log(`${id} is ${end.state}`);
store.close();
