import { describe, expect, it } from 'vitest';
import { findUrlFault } from '../../../src/events/webhooks/check-url.ts';

const production = { allowsLoopback: false };
const sandbox = { allowsLoopback: true };

describe('the address of a webhook', () => {
  it.each([
    'https://hooks.company.com/bureau',
    'https://hooks.company.com:8443/a?b=c',
    'https://xn--bcher-kva.ch/',
    'https://1.example-company.com/',
  ])('may be %s', (url) => {
    expect([findUrlFault(url, production), findUrlFault(url, sandbox)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['plain http', 'http://hooks.company.com/'],
    ['another scheme', 'ftp://hooks.company.com/'],
    ['a script', 'javascript:alert(1)'],
    ['no URL', 'hooks.company.com'],
    ['another port', 'https://hooks.company.com:22/'],
    ['a user name', 'https://admin@hooks.company.com/'],
    ['a password', 'https://admin:secret@hooks.company.com/'],
    ['a fragment', 'https://hooks.company.com/#x'],
    ['a private address, dotted', 'https://10.0.0.1/'],
    ['a public address, dotted', 'https://203.0.114.1/'],
    ['the address of metadata', 'https://169.254.169.254/latest/meta-data'],
    ['an address as one decimal', 'https://2130706433/'],
    ['an address in hexadecimal', 'https://0x7f.1/'],
    ['an address in octal', 'https://0177.0.0.1/'],
    ['a short address', 'https://127.1/'],
    ['an address in full-width digits', 'https://１２７.０.０.１/'],
    ['an address with ideographic dots', 'https://127。0。0。1/'],
    ['an address of IPv6', 'https://[2001:db8::1]/'],
    ['loopback of IPv6', 'https://[::1]/'],
    ['an address mapped into IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['an address mapped into IPv6, in hexadecimal', 'https://[::ffff:7f00:1]/'],
    ['localhost', 'https://localhost/'],
    ['localhost with a dot', 'https://localhost./'],
    ['a name that ends with a dot', 'https://hooks.company.com./'],
    ['a name of localhost', 'https://a.localhost/'],
    ['a name of this network', 'https://printer.local/'],
    ['a name of a cloud', 'https://metadata.google.internal/'],
    ['a name of a home', 'https://router.home.arpa/'],
    ['a name of a hidden service', 'https://bureau.onion/'],
    ['a name without a domain', 'https://intranet/'],
    ['a name in upper case of this network', 'https://PRINTER.LOCAL/'],
    ['a placeholder', 'https://hooks.example/'],
    ['an address too long', `https://hooks.company.com/${'x'.repeat(500)}`],
  ])('may not be %s', (_, url) => {
    expect(findUrlFault(url, production)).toBeTruthy();
  });

  it.each(['http://127.0.0.1:9000/', 'http://localhost:9000/', 'http://[::1]:9000/', 'https://127.0.0.1/'])(
    'may be %s in the sandbox alone',
    (url) => {
      expect(findUrlFault(url, sandbox)).toBeUndefined();
      expect(findUrlFault(url, production)).toBeTruthy();
    },
  );

  it.each(['http://10.0.0.1/', 'http://hooks.company.com/', 'ftp://127.0.0.1/', 'http://0.0.0.0/'])(
    'may not be %s, even in the sandbox',
    (url) => {
      expect(findUrlFault(url, sandbox)).toBeTruthy();
    },
  );
});
