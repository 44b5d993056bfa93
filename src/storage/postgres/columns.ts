// What stands in columns beside a record's text, so that Postgres finds it.

import { hash } from 'node:crypto';
import type { JsonValue } from '../../core/domain/json.js';
import { caseFolded } from '../../core/domain/search.js';

/** An entry of a B-tree holds some 2,700 bytes; a status may be a megabyte. */
const STATUS_MAX_CHARACTERS = 200;

const UNSTORABLE = /\0|\p{Cs}/u;

/** Null where the record has no status: it passes every filter. Statuses are equal where these texts are. */
export function statusColumn(status: JsonValue | undefined): string | null {
  if (status === undefined) return null;
  if (typeof status !== 'string') return '!';
  const isPlain = status.length <= STATUS_MAX_CHARACTERS && !UNSTORABLE.test(status);
  return isPlain ? `=${status}` : `#${hash('sha256', JSON.stringify(status), 'hex')}`;
}

const ASCII = /^[\0-\x7f]*$/;

/** The text as searches look through it; null where it is what `lower` with the collation "C" makes of it. */
export function foldedColumn(body: string): string | null {
  return ASCII.test(body) ? null : caseFolded(body);
}
