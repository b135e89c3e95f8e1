/**
 * Of a row of links that scrolls where it does not fit: keeps the one of the page that is open in sight, also when the
 * row becomes narrower or one of them wider. Returns what ends that.
 */
export function scrollToCurrent(links: HTMLElement | null): (() => void) | undefined {
  const link = links?.querySelector<HTMLElement>('[aria-current]');
  if (!links || !link) return undefined;
  // It also looks once as soon as it begins.
  const follow = new ResizeObserver(() => {
    const [row, current] = [links.getBoundingClientRect(), link.getBoundingClientRect()];
    links.scrollTo({ left: links.scrollLeft + current.left - row.left - (row.width - current.width) / 2 });
  });
  for (const each of [links, ...links.children]) follow.observe(each);
  return () => follow.disconnect();
}
