/** Of a row of links that scrolls on a narrow screen: shows the one of the page that is open. */
export function scrollToCurrent(links: HTMLElement | null): void {
  const link = links?.querySelector<HTMLElement>('[aria-current]');
  if (link) links?.scrollTo({ left: link.offsetLeft - (links.clientWidth - link.offsetWidth) / 2 });
}
