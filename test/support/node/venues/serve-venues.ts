import { startVenueServer } from './start-venue-server.ts';

/**
 * The played venues in a process of their own, for measurements that they must not slow down: says where they answer to
 * the process that forked it, and ends with it.
 */
const { url, stop } = await startVenueServer();
process.once('disconnect', () => void stop().then(() => process.exit()));
process.send?.(url);
