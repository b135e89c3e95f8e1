import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { ask, isRefusal } from './ask.ts';

type AuthenticationOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];
type RegistrationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];

/** Signs in with a passkey that the browser or the device offers. */
export async function signInWithPasskey(): Promise<void> {
  const { options } = await ask<{ options: AuthenticationOptions }>('POST', '/session/passkey/options');
  const answer = await startAuthentication({ optionsJSON: options });
  await ask('POST', '/session/passkey', { answer });
}

/** Enrols a passkey of this device. */
export async function enrolPasskey(name: string): Promise<void> {
  const { options } = await ask<{ options: RegistrationOptions }>('POST', '/account/passkeys/options');
  const answer = await startRegistration({ optionsJSON: options });
  await ask('POST', '/account/passkeys', { answer, name });
}

/** Uses a passkey of the holder, after which the session is fresh for five minutes. */
export async function usePasskey(): Promise<void> {
  const { options } = await ask<{ options: AuthenticationOptions }>('POST', '/account/fresh/options');
  const answer = await startAuthentication({ optionsJSON: options });
  await ask('POST', '/account/fresh', { answer });
}

/** Does what may want a fresh passkey: if it does, the holder is asked for it, and then it is done. */
export async function withPasskey<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isRefusal(error, 'passkey_needed')) throw error;
    await usePasskey();
    return act();
  }
}
