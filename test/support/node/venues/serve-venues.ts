import { startVenueServer } from './start-venue-server.ts';

/**
 * Runs the simulated venues in a process of their own, so that they do not slow a measurement down. It sends its
 * address to the process that forked it, and ends with it.
 */
const { url, stop } = await startVenueServer();
process.once('disconnect', () => void stop().then(() => process.exit()));
process.send?.(url);
