/** Made by `npm run build:site`. */
declare module '*/dist/schema.json' {
  const migrations: readonly { readonly name: string; readonly text: string }[];
  export default migrations;
}
