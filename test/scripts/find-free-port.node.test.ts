import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { findFreePort } from '../../scripts/find-free-port.ts';

it('a port that somebody uses is not free, and one that was found can be used', async () => {
  const used = createServer().listen(0, '127.0.0.1');
  await once(used, 'listening');
  const { port } = used.address() as AddressInfo;
  const free = await findFreePort();
  const drawn = [port, free];
  expect(await findFreePort(() => drawn.shift() ?? 0)).toBe(free);
  await expect(findFreePort(() => port)).rejects.toThrow('no free port');
  const server = createServer().listen(free, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  used.close();
});
