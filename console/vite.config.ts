import { join } from 'node:path';
import { defineConfig } from 'vite';

/** The entry pages: the holder's, and the desk's for the staff. */
const ENTRIES = ['index.html', 'desk.html'];

/** Builds the console's pages into `dist`, which the Worker serves. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: 'public',
  plugins: [
    {
      // The pages link all styles, so what loads a script later has none to load before it.
      name: 'load-without-styles',
      enforce: 'pre',
      load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : undefined),
    },
  ],
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
