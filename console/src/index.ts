import { app } from './app.ts';
import type { ConsoleBindings } from './env.ts';
import { tellHolders } from './mail/tell-holders.ts';

export default {
  fetch: app.fetch,
  scheduled: (_controller, env) => tellHolders(env),
} satisfies ExportedHandler<ConsoleBindings>;
