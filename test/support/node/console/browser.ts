import { randomInt } from 'node:crypto';
import { Authenticator, type Misbehaviour } from './authenticator.ts';

/** What the console answered: its status and its JSON. */
export interface Reply {
  readonly status: number;
  readonly body: { readonly code?: string; readonly requestId?: string } & Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

interface Options {
  readonly options: { readonly challenge: string };
}

/** A browser with its cookies, which sends what the console's pages send. */
export class Browser {
  readonly origin: string;
  readonly cookies = new Map<string, string>();
  /** Its address, so that browsers do not share the limit of sign-ins. */
  readonly ip = `2001:db8:${randomInt(1, 65_536).toString(16)}:${randomInt(1, 65_536).toString(16)}::1`;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** Sends a request. `headers` replace those of the console's own pages; '' leaves one out. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = {
      Origin: this.origin,
      'CF-Connecting-IP': this.ip,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(cookie !== '' && { Cookie: cookie }),
      ...headers,
    };
    const response = await fetch(`${this.origin}${path}`, {
      method,
      headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== '')),
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const written of response.headers.getSetCookie()) this.#keep(written);
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : { text }) as Reply['body'],
    };
  }

  get(path: string): Promise<Reply> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send('POST', path, body, headers);
  }

  #keep(written: string): void {
    const [pair = ''] = written.split('; ');
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    if (written.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  async challengeOf(path: string): Promise<string> {
    const { status, body } = await this.post(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return (body as unknown as Options).options.challenge;
  }

  async enrol(how: Misbehaviour = {}): Promise<{ readonly passkey: Authenticator; readonly reply: Reply }> {
    const passkey = new Authenticator(this.origin);
    const answer = passkey.enrol(await this.challengeOf('/account/passkeys/options'), how);
    return { passkey, reply: await this.post('/account/passkeys', { answer, name: 'laptop' }) };
  }

  async signIn(passkey: Authenticator, how: Misbehaviour = {}): Promise<Reply> {
    const answer = passkey.sign(await this.challengeOf('/session/passkey/options'), how);
    return this.post('/session/passkey', { answer });
  }

  /** Uses a passkey again in the same session. */
  async refresh(passkey: Authenticator): Promise<Reply> {
    const answer = passkey.sign(await this.challengeOf('/account/fresh/options'));
    return this.post('/account/fresh', { answer });
  }
}
