import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';

const MAX_LENGTH = 8_192;

const Text = z.string().min(1).max(MAX_LENGTH);

const common = {
  id: Text,
  rawId: Text,
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()),
  authenticatorAttachment: z.string().optional(),
};

/** An authenticator's answer at a sign-in, as browsers write it in JSON (WebAuthn Level 3, section 5.1). */
export const AuthenticationAnswer = z
  .object({
    ...common,
    response: z.object({
      clientDataJSON: Text,
      authenticatorData: Text,
      signature: Text,
      userHandle: z.string().optional(),
    }),
  })
  .transform((answer) => answer as AuthenticationResponseJSON);

/** An authenticator's answer at an enrolment. */
export const RegistrationAnswer = z
  .object({
    ...common,
    response: z.object({
      clientDataJSON: Text,
      attestationObject: Text,
      transports: z.array(z.string().max(32)).max(8).optional(),
    }),
  })
  .transform((answer) => answer as RegistrationResponseJSON);
