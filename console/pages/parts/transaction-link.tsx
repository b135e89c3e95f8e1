import { shorten } from '../format.ts';
import { linkTo } from '../networks.ts';

/** A transaction's hash, which leads to an explorer of its network. */
export function TransactionLink({ network, txHash }: { readonly network: string; readonly txHash: string }) {
  const link = linkTo(network, txHash);
  if (link === undefined)
    return (
      <code class="short" title={txHash}>
        {shorten(txHash)}
      </code>
    );
  return (
    <a href={link} target="_blank" rel="noreferrer">
      <code class="short">{shorten(txHash)}</code>
      <span class="hidden">, opens an explorer of {network}</span>
    </a>
  );
}
