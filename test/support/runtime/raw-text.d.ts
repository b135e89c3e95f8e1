/** A file imported as its text. */
declare module '*?raw' {
  const text: string;
  export default text;
}

interface ImportMeta {
  /** The files that match, by their path; vite finds them. */
  glob(pattern: string): Record<string, unknown>;
}
