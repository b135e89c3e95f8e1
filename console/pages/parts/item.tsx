import type { ComponentChildren } from 'preact';
import { Badge } from './coin.tsx';

/** A line of a list: a coin, what happened and more about it, and at the end an amount or a state. */
export function Item({
  asset,
  title,
  about,
  end,
  below,
}: {
  readonly asset: string;
  readonly title: ComponentChildren;
  readonly about: ComponentChildren;
  readonly end: ComponentChildren;
  readonly below?: ComponentChildren;
}) {
  return (
    <li class="item">
      <Badge asset={asset} />
      <div class="what">
        <div>{title}</div>
        <small class="quiet">{about}</small>
      </div>
      <div class="end">
        {end}
        {below !== undefined && <small class="quiet">{below}</small>}
      </div>
    </li>
  );
}
