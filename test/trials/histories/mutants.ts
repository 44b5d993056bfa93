// The service with one defect planted in it. Each must be caught under the fault
// that brings it out.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/setup.js';
import { changedServer } from '../service/changed-server.js';
import type { Model } from './checker.js';

type Replacement = readonly [from: string, to: string];

export interface Mutant {
  readonly name: string;
  /** The name of the fault. */
  readonly fault: string;
  readonly model: Model;
  /** Each text is in exactly one of the built files of the server, once. */
  readonly replacements: readonly Replacement[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a stored change is not in the file',
    fault: 'stops and starts',
    model: 'record',
    replacements: [
      [
        'do update set body = excluded.body, updated_at = excluded.updated_at',
        'do update set updated_at = excluded.updated_at',
      ],
    ],
  },
  {
    name: 'a deleted record stays in the file',
    fault: 'stops and starts',
    model: 'record',
    replacements: [['delete from records where', 'delete from records where 0 and']],
  },
  {
    name: 'a write is answered before it is on disk',
    fault: 'slow syncs and kill -9',
    model: 'record',
    replacements: [
      [
        'return withErrors(await this.#thread.call("commit", commitTexts(changes)));',
        'void this.#thread.call("commit", commitTexts(changes)); return { status: "committed" };',
      ],
    ],
  },
  {
    name: 'every audit event is written twice',
    fault: 'none',
    model: 'record',
    replacements: [
      [
        'insert into audit_events (event) select value from json_each(?1)',
        'insert into audit_events (event) select value from json_each(?1) union all select value from json_each(?1)',
      ],
    ],
  },
  {
    name: 'a list shows a change only a moment later',
    fault: 'none',
    model: 'account',
    replacements: [
      [
        'this.ordered[this.#indexOf(record.position)] = record;',
        'setTimeout(() => { try { this.ordered[this.#indexOf(record.position)] = record; } catch {} }, 5);',
      ],
    ],
  },
  {
    name: 'a payment of exactly the amount is pending',
    fault: 'none',
    model: 'account',
    replacements: [['paid >= amount', 'paid > amount']],
  },
  {
    name: 'usage is counted while it changes',
    fault: 'none',
    model: 'operator',
    replacements: [
      ['PIECE_MAX_ROWS = 1e4', 'PIECE_MAX_ROWS = 1'],
      ['this.usage.before(', 'void ('],
    ],
  },
];

/** Files that `dist/server.js` runs; others hold the same code for other entries. */
const SERVER_FILES = /^(?!preview|restore|worker|client|operator-client|backup-process).*\.js$/;

/** Plants a defect into a copy of the build and gives the path of its server. Throws where its place is not found. */
export function planted(folder: string, mutant: Mutant): string {
  return plantedFiles(folder, placesOf(mutant));
}

/** The built files that a defect changes. Throws where a text is in none. */
export function placesOf({
  name,
  replacements,
}: Mutant): ReadonlyMap<string, readonly Replacement[]> {
  const files = readdirSync(join(root, 'dist')).filter((file) => SERVER_FILES.test(file));
  const byFile = new Map<string, Replacement[]>();
  for (const replacement of replacements) {
    const holding = files.filter((file) =>
      readFileSync(join(root, 'dist', file), 'utf8').includes(replacement[0]),
    );
    for (const file of holding) byFile.set(file, [...(byFile.get(file) ?? []), replacement]);
    if (holding.length === 0) {
      throw new Error(`"${name}" finds no place: no built file has "${replacement[0]}"`);
    }
  }
  return byFile;
}

function plantedFiles(folder: string, byFile: ReadonlyMap<string, readonly Replacement[]>): string {
  const [[first = '', own = []] = [], ...others] = [...byFile];
  const server = changedServer(folder, first, own);
  for (const [file, replacements] of others) {
    const path = join(folder, 'dist', file);
    let text = readFileSync(path, 'utf8');
    for (const [from, to] of replacements) text = text.replace(from, () => to);
    writeFileSync(path, text);
  }
  return server;
}
