// What stands in columns: texts as Postgres can hold them, and what finds a record by its content.

import { hash } from 'node:crypto';
import type { JsonValue } from '../../core/domain/json.js';
import { caseFolded } from '../../core/domain/search.js';

// A column of type text holds neither U+0000 nor half of a surrogate pair; a subject may have both.
// They are spelled with U+0001 before four hexadecimal digits, and so is U+0001. Bodies need no such
// thing: JSON spells these characters in ASCII.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are spelled
const SPELLED = /[\u0000\u0001]|\p{Cs}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the mark before the digits
const SPELLING = /\u0001([0-9a-f]{4})/g;

export function toStored(text: string): string {
  return text.replace(
    SPELLED,
    (unit) => `\u0001${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function fromStored(text: string): string {
  return text.replace(SPELLING, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** An entry of a B-tree holds some 2,700 bytes; a status may be a megabyte. */
const STATUS_MAX_CHARACTERS = 200;
const UNSTORABLE = /\0|\p{Cs}/u;

/** Null if the record has no status: it passes every filter. Statuses are equal if these texts are. */
export function statusColumn(status: JsonValue | undefined): string | null {
  if (status === undefined) return null;
  if (typeof status !== 'string') return '!';
  const isPlain = status.length <= STATUS_MAX_CHARACTERS && !UNSTORABLE.test(status);
  return isPlain ? `=${status}` : `#${hash('sha256', JSON.stringify(status), 'hex')}`;
}

const ASCII = /^[\0-\x7f]*$/;

/** The text as searches look through it; null if it is what `lower` with the collation "C" makes of it. */
export function foldedColumn(body: string): string | null {
  return ASCII.test(body) ? null : caseFolded(body);
}
