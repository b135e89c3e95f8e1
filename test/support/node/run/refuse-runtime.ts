/**
 * A plugin for the tests in plain Node: what only the runtime has, they cannot import, and the error says what to do.
 * `src/env.ts` imports it, and so does whatever imports that.
 */
export function refuseRuntime() {
  return {
    name: 'refuse-runtime',
    enforce: 'pre' as const,
    resolveId(id: string, importer?: string) {
      if (!id.startsWith('cloudflare:')) return;
      throw new Error(
        `${importer ?? 'a test'} imports ${id}, which plain Node has not. A *.pure.test.ts reaches nothing of the runtime: import less, or name the test *.test.ts and it runs in workerd.`,
      );
    },
  };
}
