import { type AuthenticationResponseJSON, verifyAuthenticationResponse } from '@simplewebauthn/server';
import { describeError, logEvent } from '../../../src/platform/log.ts';
import { PASSKEY_HOST, config } from '../env.ts';
import { type ChallengeFor, takeChallenge } from './challenge.ts';
import { type Passkey, readPasskey } from './passkey.ts';

/**
 * Verifies that a passkey has answered a challenge (WebAuthn Level 3, section 7.2), with its user verified, and notes its
 * use. `undefined` for anything else: an unknown passkey, somebody else's where the challenge was for a person, an answer
 * that was sent before, one without user verification, one of another site, or a counter that has gone back, which a
 * copied passkey has. Throws when D1 fails.
 */
export async function verifyPasskey(
  identity: D1Database,
  answer: AuthenticationResponseJSON,
  asked: ChallengeFor,
  now_ms: number,
): Promise<Passkey | undefined> {
  const passkey = await readPasskey(identity, answer.id);
  const isOwn = asked.purpose === 'sign_in' || passkey?.userId === asked.userId;
  if (!passkey || !isOwn) return undefined;
  const counter = await readCounter(identity, answer, passkey, asked, now_ms);
  if (counter === undefined) return undefined;
  return (await noteUse(identity, passkey.id, counter, now_ms)) ? passkey : undefined;
}

async function readCounter(
  identity: D1Database,
  answer: AuthenticationResponseJSON,
  passkey: Passkey,
  asked: ChallengeFor,
  now_ms: number,
): Promise<number | undefined> {
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer,
      expectedChallenge: (challenge) => takeChallenge(identity, challenge, asked, now_ms),
      expectedOrigin: config.CONSOLE_ORIGIN,
      expectedRPID: PASSKEY_HOST,
      requireUserVerification: true,
      credential: {
        id: passkey.id,
        publicKey: Uint8Array.fromBase64(passkey.publicKey, { alphabet: 'base64url' }),
        counter: passkey.counter,
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch (error) {
    // The library throws for an answer that it refuses.
    logEvent('passkey_refused', { passkeyId: passkey.id, error: describeError(error) });
    return undefined;
  }
}

/** Notes the use. Of two answers with one counter the database takes one. */
async function noteUse(identity: D1Database, id: string, counter: number, now_ms: number): Promise<boolean> {
  const { meta } = await identity
    .prepare(
      `UPDATE passkeys SET counter = ?2, used_at = ?3
       WHERE id = ?1 AND (counter < ?2 OR (counter = 0 AND ?2 = 0))`,
    )
    .bind(id, counter, now_ms)
    .run();
  return meta.changes === 1;
}
