import { app } from './app.ts';
import type { ConsoleBindings } from './env.ts';
import { tellHolders } from './mail/tell-holders.ts';
import { tellStaff } from './mail/tell-staff.ts';

export default {
  fetch: app.fetch,
  scheduled: async (_controller, env) => {
    await Promise.all([tellHolders(env), tellStaff(env, Date.now())]);
  },
} satisfies ExportedHandler<ConsoleBindings>;
