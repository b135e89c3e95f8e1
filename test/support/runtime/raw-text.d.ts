/** A file imported as its text. */
declare module '*?raw' {
  const text: string;
  export default text;
}

interface ImportMeta {
  /** The matching files, by their path. Vite finds them. */
  glob(pattern: string): Record<string, unknown>;
}
