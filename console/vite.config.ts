import { join } from 'node:path';
import { defineConfig } from 'vite';

/** The entry pages: the holder's, and the desk's for the staff. */
const ENTRIES = ['index.html', 'desk.html'];

/** Builds the console's pages into `dist`, which the Worker serves. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: 'public',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { input: ENTRIES.map((file) => join(import.meta.dirname, file)) },
  },
});
