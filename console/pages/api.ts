import { BureauClient } from '../../clients/bureau-client/src/client.ts';

/** The public API, through the console's Worker, which puts the session's key in place of the cookie. */
export const api = new BureauClient({ origin: location.origin });
