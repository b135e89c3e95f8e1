import { env } from 'cloudflare:workers';
import { type Config, parseConfig } from './config.ts';
import { publicSecrets } from './public-secrets.ts';

const { ENVIRONMENT } = env as { readonly ENVIRONMENT?: string };

/** The configuration of this Worker; nothing else reads the environment. */
export const config: Config = parseConfig(ENVIRONMENT === 'sandbox' ? { ...publicSecrets, ...env } : env);
