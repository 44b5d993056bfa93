// The form of a copy in the bucket: names, manifest, and lines. A copy is the objects
// under `copies/NAME/`; it is whole once its manifest is there, which is written last.

import type { R2Bucket } from '@cloudflare/workers-types';
import type { EventPlace } from '../../../storage/move/move-messages.js';
import type { AnnouncedAccount, MovedRow } from '../../../storage/move/moved-rows.js';
import type { WorkerEnvironment } from '../environment.js';

export interface CopiesEnvironment extends WorkerEnvironment {
  /** The bucket of the copies, if the script is bound to it. */
  readonly COPIES?: R2Bucket;
}

export const COPIES_PREFIX = 'copies/';
/** The round under way, or the last one. */
export const ROUND_KEY = 'round.json';
export const MANIFEST = 'manifest.json';
/** Takes the manifest's place if accounts are missing. */
export const INCOMPLETE = 'incomplete.json';
const VERSION = 1;

/** `accounts`: records. `index`: of the accounts in the file before it. `audit`: audit events. All are NDJSON. */
export interface CopiedFile {
  readonly name: string;
  readonly content: 'accounts' | 'index' | 'audit';
  /** Lines. */
  readonly records: number;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Of an index: the least and the greatest subject in it, by UTF-16 code units. */
  readonly first?: string;
  readonly last?: string;
}

export interface CopyCounts {
  readonly accounts: number;
  readonly records: number;
  /** UTF-8 bytes of the records. */
  readonly record_bytes: number;
  readonly audit_events: number;
  /** Accounts of several pieces that were written to between two of them. */
  readonly changed_meanwhile: number;
}

export interface Manifest extends CopyCounts {
  readonly manifest: typeof VERSION;
  readonly copy: string;
  /** RFC 3339, UTC. */
  readonly begun: string;
  readonly finished: string;
  /** Subjects of the accounts that gave no answer. Empty in a whole copy. */
  readonly missing: readonly string[];
  readonly files: readonly CopiedFile[];
}

export type Stage = 'accounts' | 'again' | 'audit' | 'ended';

/** The progress of a round. It is stored after every file, so that the next invocation continues from there. */
export interface Round {
  readonly copy: string;
  readonly begun: string;
  readonly stage: Stage;
  /** The subject of the last account that was asked. */
  readonly after: string;
  /** Accounts that gave no answer, … */
  readonly failed: readonly string[];
  /** … and how often they were asked again. */
  readonly tries: number;
  readonly place: EventPlace;
  readonly counts: CopyCounts;
  readonly files: readonly CopiedFile[];
}

/** One account in the index of a file. */
export interface IndexedAccount extends AnnouncedAccount {
  readonly account: string;
  readonly changed_meanwhile: boolean;
  /** Where its records stand, in this order. */
  readonly stretches: readonly Stretch[];
}

/** Bytes of a file. */
export interface Stretch {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

export interface CopiedEvent {
  /** Owner, epoch and number, as JSON; null for an event of an early release. */
  readonly name: string | null;
  /** JSON text. */
  readonly event: string;
}

/** The name of a copy, from the time when it began: names in order are times in order. */
export function copyName(now: number): string {
  return new Date(now).toISOString().replaceAll(':', '-');
}

export function isCopyName(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/.test(text);
}

export function keyOf(copy: string, file: string): string {
  return `${COPIES_PREFIX}${copy}/${file}`;
}

export function manifestOf(round: Round, now: number): Manifest {
  const { copy, begun, counts, failed: missing, files } = round;
  const finished = new Date(now).toISOString();
  return { manifest: VERSION, copy, begun, finished, ...counts, missing, files };
}

const RECORD = ',"record":';
const TEXT = ',"text":';
const EVENT = ',"event":';

/** The record's own text ends the line, so that it comes back character by character. */
export function lineOfRow([collection, id, body, createdAt, updatedAt]: MovedRow): string {
  const facts = JSON.stringify({ collection, id, created_at: createdAt, updated_at: updatedAt });
  // A text with line breaks cannot stand in one line.
  const isLine = !/[\n\r]/.test(body);
  const [mark, text] = isLine ? [RECORD, body] : [TEXT, JSON.stringify(body)];
  return `${facts.slice(0, -1)}${mark}${text}}`;
}

/** Throws if the line is not a line of a copy. */
export function rowOfLine(line: string): MovedRow {
  const { facts, mark, text } = parts(line, [RECORD, TEXT]);
  const { collection, id, created_at, updated_at } = JSON.parse(facts);
  const body = mark === RECORD ? text : JSON.parse(text);
  return [collection, id, body, created_at, updated_at];
}

export function lineOfEvent({ name, event }: CopiedEvent): string {
  return `{"name":${name}${EVENT}${event}}`;
}

export function eventOfLine(line: string): CopiedEvent {
  const { facts, text } = parts(line, [EVENT]);
  const { name } = JSON.parse(facts);
  return { name: name === null ? null : JSON.stringify(name), event: text };
}

/**
 * Cuts at the first of the marks that the line contains. Before a mark, and in a record
 * that stands as a text, every quote is escaped, so neither contains a mark.
 */
function parts(line: string, marks: readonly string[]) {
  const mark = marks.find((each) => line.includes(each));
  if (mark === undefined) throw new Error('a line of the copy is not of its form');
  const at = line.indexOf(mark);
  return { mark, facts: `${line.slice(0, at)}}`, text: line.slice(at + mark.length, -1) };
}
