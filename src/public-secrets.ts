/**
 * The sandbox's secrets, which everybody knows, so that `wrangler dev` needs no other. `npm start` draws its own, and
 * those of `.dev.vars` or of the platform replace these. Production has none of them, and refuses any that begins with
 * "sandbox-".
 */
export const publicSecrets = {
  /**
   * Signs API keys: a JSON object of secrets by version, each at least 32 characters. The highest version signs new keys;
   * to rotate, add one, and remove the old one when no key of it is left.
   */
  API_KEY_SECRETS: '{"1":"sandbox-api-key-secret-of-the-public-repository"}',
  /** Signs the cursors of lists. */
  CURSOR_SECRET: 'sandbox-cursor-secret-of-the-public-repository',
  /**
   * Encrypts the secrets of two-factor authentication and of webhook endpoints where they are stored: secrets by version,
   * as above.
   */
  TOTP_SECRETS: '{"1":"sandbox-totp-secret-of-the-public-repository"}',
  /** Reports deposits, and nothing else. */
  DEPOSIT_TOKEN: 'sandbox-deposit-token-of-the-public-repository',
  /** Reads what the operator can read, and changes nothing. */
  AUDITOR_TOKEN: 'sandbox-auditor-token-of-the-public-repository',
  /** Opens the whole operator's API. */
  OPERATOR_TOKEN: 'sandbox-operator-token-of-the-public-repository',
  /** Signs Bureau's requests to the custodian (docs/custody.md). */
  CUSTODY_SECRET: 'sandbox-custody-secret-of-the-public-repository',
} as const;
