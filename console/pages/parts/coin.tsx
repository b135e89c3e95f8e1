import type { Asset } from '../assets.ts';

/** The colour of each coin's mark, as an angle of the colour wheel, and the lines of which it is drawn. */
const marks: Readonly<Record<Asset, readonly [hue: number, lines: string]>> = {
  USDT: [165, 'M6 6h12M12 6v13M6 10.5c0 2 12 2 12 0'],
  USDC: [250, 'M15.5 9c0-3.5-7-3.5-7 0 0 3 7 3 7 6 0 3.5-7 3.5-7 0M12 4.5v15'],
  BTC: [
    60,
    'M8 6.5h5a2.8 2.8 0 0 1 0 5.5H9h5a2.8 2.8 0 0 1 0 5.5H8M9 6.5v11M10.5 4v2.5M13 4v2.5M10.5 17.5V20M13 17.5V20',
  ],
  ETH: [285, 'M12 3.5l5 8.5-5 3-5-3zM7.5 15l4.5 5.5 4.5-5.5L12 17.6z'],
  AVAX: [25, 'M12 5l7 13H5z'],
  MATIC: [310, 'M12 4l7 4v8l-7 4-7-4V8z'],
  BNB: [
    90,
    'M12 4l3.5 3.5L12 11 8.5 7.5zM12 13l3.5 3.5L12 20l-3.5-3.5zM6 9.5L8.5 12 6 14.5 3.5 12zM18 9.5l2.5 2.5-2.5 2.5-2.5-2.5z',
  ],
  LTC: [220, 'M11 4.5L8.5 18H17M6.5 13.5l7-3'],
  DOGE: [115, 'M9 5.5h3a6.5 6.5 0 0 1 0 13H9zM6 12h6'],
};

const isListed = (asset: string): asset is Asset => asset in marks;

/** A coin's mark, of our own drawing, in a colour of its own; its name is always beside it. */
export function Badge({ asset }: { readonly asset: string }) {
  const [hue, lines] = isListed(asset) ? marks[asset] : [0, ''];
  return (
    <span class="badge" aria-hidden="true" style={{ '--hue': String(hue) }}>
      <svg viewBox="0 0 24 24">
        <path d={lines} />
      </svg>
    </span>
  );
}
