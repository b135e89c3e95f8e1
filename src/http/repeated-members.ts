import { writePointer } from './field-errors.ts';

/** The parts of a JSON text that say where a member begins: texts, brackets and commas. */
const PARTS = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/** An object or a list that is open: in an object the names so far, and the name or the place of the present value. */
interface Open {
  readonly names: Set<string> | undefined;
  at: string | number;
}

/**
 * The members that come twice or more in one object, as JSON pointers: of such a member each parser may read another value
 * (RFC 8259, section 4). `text` must be JSON. It is read once, from the beginning to the end.
 */
export function findRepeatedMembers(text: string): string[] {
  const repeated = new Set<string>();
  const open: Open[] = [];
  let isName = false;
  for (const [part] of text.matchAll(PARTS)) {
    const inner = open.at(-1);
    if (part === '{' || part === '[') {
      open.push(part === '{' ? { names: new Set(), at: '' } : { names: undefined, at: 0 });
      isName = part === '{';
    } else if (part === '}' || part === ']') {
      open.pop();
      isName = false;
    } else if (part === ',') {
      isName = inner?.names !== undefined;
      if (typeof inner?.at === 'number') inner.at += 1;
    } else if (isName && inner?.names) {
      isName = false;
      inner.at = JSON.parse(part) as string;
      if (inner.names.has(inner.at)) repeated.add(writePointer(open.map(({ at }) => at)));
      inner.names.add(inner.at);
    }
  }
  return [...repeated];
}
