import { inWords } from '../format.ts';

/** The state of a movement: in words, and in its colour. */
export function Pill({ status, words = inWords(status) }: { readonly status: string; readonly words?: string }) {
  return <span class={`pill ${status.toLowerCase()}`}>{words}</span>;
}
