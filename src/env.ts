import { env } from 'cloudflare:workers';
import { type Config, parseConfig } from './config.ts';

/** The configuration of this Worker; nothing else reads the environment. */
export const config: Config = parseConfig(env);
