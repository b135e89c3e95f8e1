import type { ConsoleContext } from './context.ts';

/** The address that a request comes from. */
export function readCallerIp(c: Pick<ConsoleContext, 'req'>): string {
  return c.req.header('CF-Connecting-IP') ?? 'unknown';
}
