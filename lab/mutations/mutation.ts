export interface Mutation {
  readonly room: string;
  /** What the code then does wrong. No two mutations have the same name. */
  readonly name: string;
  readonly file: string;
  /** A text that the file contains exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The test files that are run, until one notices. */
  readonly tests: readonly string[];
}

/**
 * Reads a list that is written like a patch. `@@` begins the mutations of a file, and names it and the test files that
 * must notice. Then come the name of each, the lines that it takes out after `- `, and those that it puts in after `+ `.
 */
export function readMutations(room: string, list: string): Mutation[] {
  return list
    .split(/^@@ /m)
    .slice(1)
    .flatMap((section) => {
      const [heading = '', ...lines] = section.trimEnd().split('\n');
      const [file = '', ...tests] = heading.split(' ');
      const mutations: { name: string; find: string[]; replace: string[] }[] = [];
      for (const line of lines) {
        if (line.startsWith('-')) mutations.at(-1)?.find.push(line.slice(2));
        else if (line.startsWith('+')) mutations.at(-1)?.replace.push(line.slice(2));
        else mutations.push({ name: line, find: [], replace: [] });
      }
      return mutations.map(({ name, find, replace }) => ({
        room,
        name,
        file,
        tests,
        find: find.join('\n'),
        replace: replace.join('\n'),
      }));
    });
}

/** The text with the mistake in it. Throws unless the file contains the mutation's text exactly once. */
export function applyMutation(text: string, { name, file, find, replace }: Mutation): string {
  const places = text.split(find);
  if (places.length !== 2) throw new Error(`"${name}": ${file} contains its text ${places.length - 1} times`);
  if (find === replace) throw new Error(`"${name}" changes nothing`);
  return places.join(replace);
}
