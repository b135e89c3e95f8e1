/** One deliberate mistake, and the tests that must notice it. */
export interface Mutation {
  /** What goes wrong. No two mutations share a name. */
  readonly name: string;
  /** The file that is changed; the room's own where there is none. */
  readonly file?: string;
  /** A text that stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The test files of the room that are run; the room's own where there are none. */
  readonly tests?: readonly string[];
}

/** The mutations of one part of the code, and what most of them share. */
export interface Room {
  readonly name: string;
  readonly file: string;
  readonly tests: readonly string[];
  readonly mutations: readonly Mutation[];
}

/** A mutation with all that its room says for it. */
export interface PlacedMutation extends Required<Mutation> {
  readonly room: string;
}

/** Every mutation of these rooms. */
export function placeMutations(rooms: readonly Room[]): PlacedMutation[] {
  return rooms.flatMap(({ name: room, file, tests, mutations }) =>
    mutations.map((mutation) => ({ file, tests, ...mutation, room })),
  );
}

/** The text with the mistake in it. Throws where the mutation no longer applies: its text is gone, or stands twice. */
export function applyMutation(text: string, { name, file, find, replace }: PlacedMutation): string {
  const places = text.split(find);
  if (places.length !== 2) throw new Error(`"${name}": its text stands ${places.length - 1} times in ${file}`);
  if (find === replace) throw new Error(`"${name}" changes nothing`);
  return places.join(replace);
}
