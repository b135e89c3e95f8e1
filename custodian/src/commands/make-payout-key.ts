import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';

/**
 * `npm run -s make:payout-key`: makes the key with which Bureau signs payouts. The seed becomes the Worker's secret
 * CUSTODY_SIGNING_KEY; the public key goes into `bureauKeys` of the signer's policy and of the custodian's
 * configuration.
 */
const { secretKey, publicKey } = ed25519.keygen();
console.log(JSON.stringify({ CUSTODY_SIGNING_KEY: hex.encode(secretKey), bureauKey: hex.encode(publicKey) }));
