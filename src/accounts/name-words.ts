const MARKS = /\p{M}/gu;
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/gu;

/** A name as it is looked for: without case, accents and what is between its words but one space. Pure. */
export function foldName(name: string): string {
  return name.normalize('NFKD').replaceAll(MARKS, '').toLowerCase().replaceAll(BETWEEN_WORDS, ' ').trim();
}

/** A name from each of its words on, folded. So whatever somebody types of it, one of these begins with that. Pure. */
export function listBeginnings(name: string): readonly string[] {
  const words = foldName(name).split(' ');
  const beginnings = words.map((_, place) => words.slice(place).join(' '));
  return [...new Set(beginnings)].filter((text) => text !== '');
}
