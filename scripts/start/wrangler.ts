/** Wrangler's own file without its starter, which would be one more process. No shell and no PATH are needed. */
export const WRANGLER = ['--no-warnings', 'node_modules/wrangler/wrangler-dist/cli.js'];

/** Without the terminal's colours, questions and statistics. Wrangler is large, so what Node compiles of it is kept. */
export const quietly = {
  WRANGLER_SEND_METRICS: 'false',
  CI: 'true',
  NO_COLOR: '1',
  FORCE_COLOR: '0',
  NODE_COMPILE_CACHE: 'node_modules/.cache/compile',
};
