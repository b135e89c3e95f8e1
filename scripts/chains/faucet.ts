import { type Server, createServer } from 'node:http';
import { AMOUNT_SYNTAX } from '../../src/money/amounts.ts';
import type { LocalChain } from './local-chains.ts';

/**
 * Sends coins without value, and shows what an address has: `POST /NETWORK/ADDRESS/AMOUNT`,
 * `GET /NETWORK/ADDRESS`. It listens on loopback only, because anybody who reaches it may take coins.
 */
export async function openFaucet(chains: readonly LocalChain[], port: number): Promise<Server> {
  const answer = async (method: string, path: string): Promise<object | undefined> => {
    const [, network, address = '', amount] = path.split('/');
    const chain = chains.find((one) => one.network === network);
    if (!chain || !address) return undefined;
    if (method === 'GET' && amount === undefined) return { network, address, balance: await chain.balance(address) };
    if (method !== 'POST' || amount === undefined || !AMOUNT_SYNTAX.test(amount)) return undefined;
    return { network, address, amount, txHash: await chain.send(address, amount) };
  };
  const server = createServer((request, response) => {
    answer(request.method ?? '', request.url ?? '').then(
      (body) => response.writeHead(body ? 200 : 404).end(`${JSON.stringify(body ?? { error: 'no such route' })}\n`),
      (error: unknown) => response.writeHead(500).end(`${String(error)}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
