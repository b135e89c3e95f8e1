/** The longest address that is taken. */
export const MAX_URL_LENGTH = 500;

/** Ports that a proxy in front of a receiver uses. The empty one is 443. */
const PORTS: readonly string[] = ['', '443', '8443'];

/** Names that are never of the public internet (RFC 2606, 6761, 6762, 7686, 8375). */
const PRIVATE_NAME = /(^|\.)(local|localhost|internal|intranet|lan|home\.arpa|onion|test|example|invalid|arpa)$/;

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Where webhooks may go. */
export interface UrlRules {
  /** Only in the sandbox: also http, and to this machine. */
  readonly allowsLoopback: boolean;
}

/**
 * What is wrong with the address of a receiver, or `undefined`. Only https to a public name is taken. Every other
 * spelling of an IP address, such as `2130706433`, `0x7f.1` or full-width digits, is read as the address that it is by
 * the parser of URLs, whose result is what is checked. The runtime itself resolves names, and reaches public addresses
 * alone (`global_fetch_strictly_public`). Pure.
 */
export function findUrlFault(text: string, { allowsLoopback }: UrlRules): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `is longer than ${MAX_URL_LENGTH} characters`;
  const url = URL.parse(text);
  if (!url) return 'is no URL';
  if (url.username !== '' || url.password !== '') return 'holds a user name or a password';
  if (url.hash !== '') return 'holds a fragment, which is never sent';
  if (allowsLoopback && LOOPBACK.includes(url.hostname)) {
    return ['http:', 'https:'].includes(url.protocol) ? undefined : 'is neither http nor https';
  }
  if (url.protocol !== 'https:') return 'is not https';
  if (!PORTS.includes(url.port)) return 'has another port than 443 or 8443';
  return findHostFault(url.hostname);
}

function findHostFault(host: string): string | undefined {
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) return 'names an IP address instead of a host';
  if (host.endsWith('.')) return 'has a host that ends with a dot';
  if (!host.includes('.')) return 'has a host without a domain';
  if (PRIVATE_NAME.test(host)) return 'names a host that is not public';
  return undefined;
}
