import { linkTo } from '../networks.ts';

/** A transaction's hash, which leads to an explorer of its network. */
export function TransactionLink({ network, txHash }: { readonly network: string; readonly txHash: string }) {
  const link = linkTo(network, txHash);
  if (link === undefined) return <code>{txHash}</code>;
  return (
    <a href={link} target="_blank" rel="noreferrer" class="breaks">
      <code>{`${txHash.slice(0, 10)}…${txHash.slice(-6)}`}</code>
      <span class="hidden">, opens an explorer of {network}</span>
    </a>
  );
}
