// The changes of a commit on their way to the database, and the statements that make them.

import { PUT_SEQUENCES } from '../records-table.js';
import type { Statement } from './connection.js';
import { PUT_ROWS, REMOVE_ROWS } from './file-schema.js';

/** The changes of a commit as JSON texts. The thread passes them to the database without parsing them. */
export interface CommitTexts {
  /** Array of `[position, collection, id, body, owner, status]`. */
  readonly puts: string;
  /** Array of positions. */
  readonly removals: string;
  /** Object: the highest number by collection. */
  readonly sequences: string;
  /** Array of objects; an empty text if there are none. */
  readonly events: string;
  readonly changeCount: number;
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
}

export const NO_CHANGES: CommitTexts = {
  sequences: '{}',
  puts: '[]',
  removals: '[]',
  events: '',
  changeCount: 0,
  at: 0,
};

export function statements({ puts, removals, sequences, at }: CommitTexts): Statement[] {
  return [
    { sql: PUT_ROWS, args: [puts, at] },
    { sql: REMOVE_ROWS, args: [removals] },
    { sql: PUT_SEQUENCES, args: [sequences] },
  ].filter(({ args }) => args[0] !== '[]' && args[0] !== '{}');
}
