import { defineConfig } from 'vite';

/** Builds the console's pages into `dist`, which the Worker serves. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: 'public',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { outDir: 'dist', emptyOutDir: true, modulePreload: false, assetsInlineLimit: 0, reportCompressedSize: false },
});
