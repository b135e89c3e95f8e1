import { createConnection } from 'node:net';
import { type SignerFault, readLines } from './serve.ts';
import type { SignerAnswer, SignerRequest } from './requests.ts';

/** Long enough to sign 200 legacy inputs. A signer that hangs must not stop the payer. */
const DEADLINE_MS = 15_000;

export type AskSigner = (request: SignerRequest) => Promise<SignerAnswer>;

/** The signer did not answer, or failed. Whether it signed is unknown; asking again is safe. */
export class SignerUnavailable extends Error {}

/** Connects to the signer by its Unix socket, once for each request. Requests reject with `SignerUnavailable`. */
export function connectSigner(path: string): AskSigner {
  return async (request) => {
    const answer = await exchange(path, JSON.stringify(request));
    if (answer.kind === 'fault') throw new SignerUnavailable(answer.message);
    return answer;
  };
}

function exchange(path: string, line: string): Promise<SignerAnswer | SignerFault> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const fail = (message: string) => {
      socket.destroy();
      reject(new SignerUnavailable(message));
    };
    socket.setTimeout(DEADLINE_MS, () => fail('the signer does not answer'));
    socket.once('close', () => fail('the signer closed the connection'));
    readLines(socket, (answer) => {
      resolve(JSON.parse(answer) as SignerAnswer | SignerFault);
      socket.destroy();
    });
    socket.write(`${line}\n`);
  });
}
