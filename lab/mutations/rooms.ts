import { readFileSync, readdirSync } from 'node:fs';
import { checks } from './checks.ts';
import { readMutations } from './mutation.ts';
import { triggers } from './triggers.ts';

const FOLDER = 'lab/mutations';

const lists = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'));

/** All mutations: those of the lists, each a room, and those made from the text of the migrations. */
export const mutations = [
  ...lists.flatMap((file) => readMutations(file.slice(0, -4), readFileSync(`${FOLDER}/${file}`, 'utf8'))),
  ...triggers,
  ...checks,
];
