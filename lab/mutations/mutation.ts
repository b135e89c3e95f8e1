export interface Mutation {
  /** What the code then does wrong. No two mutations have the same name. */
  readonly name: string;
  /** The file that is changed; by default the room's. */
  readonly file?: string;
  /** A text that the file contains exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The test files that are run; by default the room's. */
  readonly tests?: readonly string[];
}

export interface Room {
  readonly name: string;
  readonly file: string;
  readonly tests: readonly string[];
  readonly mutations: readonly Mutation[];
}

export interface PlacedMutation extends Required<Mutation> {
  readonly room: string;
}

export function placeMutations(rooms: readonly Room[]): PlacedMutation[] {
  return rooms.flatMap(({ name: room, file, tests, mutations }) =>
    mutations.map((mutation) => ({ file, tests, ...mutation, room })),
  );
}

/** The text with the mistake in it. Throws unless the file contains the mutation's text exactly once. */
export function applyMutation(text: string, { name, file, find, replace }: PlacedMutation): string {
  const places = text.split(find);
  if (places.length !== 2) throw new Error(`"${name}": ${file} contains its text ${places.length - 1} times`);
  if (find === replace) throw new Error(`"${name}" changes nothing`);
  return places.join(replace);
}
