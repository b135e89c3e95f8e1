import { type KeyObject, createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What CBOR (RFC 8949) an attestation needs: whole numbers, bytes, texts and maps. */
type Cbor = number | Uint8Array | string | ReadonlyMap<number | string, Cbor>;

function encodeHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}

function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value);
  if (typeof value === 'string') return Buffer.concat([encodeHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([encodeHead(2, value.length), value]);
  const pairs = [...value].flatMap(([key, held]) => [encode(key), encode(held)]);
  return Buffer.concat([encodeHead(5, value.size), ...pairs]);
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** How an authenticator or the page around it misbehaves. */
export interface Misbehaviour {
  /** Whether the user was not verified, by a PIN or a finger. */
  readonly withoutVerification?: boolean;
  /** The page's origin, if it is another one. */
  readonly origin?: string;
  /** The counter, in place of the next one. */
  readonly counter?: number;
}

/**
 * A software authenticator with one passkey (WebAuthn Level 3, section 6), and the browser's part of the protocol: what a
 * page gets from `navigator.credentials`, in JSON.
 */
export class Authenticator {
  readonly id: string;
  readonly #origin: string;
  readonly #privateKey: KeyObject;
  readonly #publicKey: Buffer;
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    this.id = randomBytes(16).toString('base64url');
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#privateKey = privateKey;
    // COSE (RFC 9053): an elliptic curve key for ES256 on P-256.
    this.#publicKey = encode(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
  }

  /** Answers what a console asked for to enrol a passkey. */
  enrol(challenge: string, how: Misbehaviour = {}) {
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 255]);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, this.#publicKey]);
    const authData = Buffer.concat([this.#describe(HAS_CREDENTIAL, how), credential]);
    const attestation = new Map<string, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return this.#answer({
      clientDataJSON: this.#write('webauthn.create', challenge, how).toString('base64url'),
      attestationObject: encode(attestation).toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Answers a challenge with the passkey. */
  sign(challenge: string, how: Misbehaviour = {}) {
    const clientData = this.#write('webauthn.get', challenge, how);
    const authData = this.#describe(0, how);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#privateKey);
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #answer<Response extends object>(response: Response) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #write(type: string, challenge: string, { origin = this.#origin }: Misbehaviour): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #describe(more: number, { withoutVerification = false, counter }: Misbehaviour): Buffer {
    this.#counter = counter ?? this.#counter + 1;
    const flags = USER_PRESENT | (withoutVerification ? 0 : USER_VERIFIED) | more;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(new URL(this.#origin).hostname), Buffer.from([flags]), count]);
  }
}
