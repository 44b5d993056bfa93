// Column values: text encoded for Postgres, and the columns that filters and searches use.

import { hash } from 'node:crypto';
import type { Status } from '../../core/domain/record.js';
import { caseFolded } from '../../core/domain/search.js';
import type { StoredRow } from '../../core/records/record-storage.js';
import { columnsOf } from '../../core/records/stored-row.js';

// A text column can't hold U+0000 or a lone surrogate, but a subject can. They are encoded as U+0001
// and four hexadecimal digits, and so is U+0001 itself. Bodies need no encoding: JSON escapes these
// characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters to encode
const TO_ENCODE = /[\u0000\u0001]|\p{Cs}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character
const ENCODED = /\u0001([0-9a-f]{4})/g;

export function toStored(text: string): string {
  return text.replace(
    TO_ENCODE,
    (unit) => `\u0001${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function fromStored(text: string): string {
  return text.replace(ENCODED, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** A B-tree entry holds about 2,700 bytes; a status can be a megabyte. */
const STATUS_MAX_CHARACTERS = 200;
const UNSTORABLE = /\0|\p{Cs}/u;

/** Null if the record has no status, and so passes every filter. Two statuses are equal if their columns are. */
export function statusColumn(status: Status): string | null {
  if (status === undefined) return null;
  if (typeof status !== 'string') return '!';
  const isPlain = status.length <= STATUS_MAX_CHARACTERS && !UNSTORABLE.test(status);
  return isPlain ? `=${status}` : `#${hash('sha256', JSON.stringify(status), 'hex')}`;
}

/** The columns of a row that is stored for the first time. */
export function rowColumns(row: StoredRow) {
  const { collection, position, body } = row;
  const { owner = '', id, status } = columnsOf(row);
  return {
    ...{ owner: toStored(owner), collection, id: toStored(id), position, version: 1 },
    ...{ bytes: Buffer.byteLength(body), status: statusColumn(status) },
    ...{ body, folded: foldedColumn(body) },
  };
}

const ASCII = /^[\0-\x7f]*$/;

/** The case-folded body for searches; null if `lower` in the "C" collation gives the same text. */
export function foldedColumn(body: string): string | null {
  return ASCII.test(body) ? null : caseFolded(body);
}
