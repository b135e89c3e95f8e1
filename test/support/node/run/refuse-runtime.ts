/**
 * A plugin for the tests in plain Node. They cannot import modules that only the runtime has, and the error says what
 * to do. `src/env.ts` imports such a module, and so does every file that imports `src/env.ts`.
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
