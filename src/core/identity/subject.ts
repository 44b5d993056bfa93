// Where the account's subject stands in the provider's answer, and what may be a subject.

import { isJsonObject } from '../domain/json.js';
import { SUBJECT_MAX_BYTES } from '../domain/limits.js';

/**
 * The member names that lead to the subject. `field` is a name (`sub`), a dotted
 * path (`data.user.id`) or a JSON Pointer (RFC 6901), which begins with `/`:
 * `/https:~1~1shop.example.com~1uid` is the one member `https://shop.example.com/uid`.
 * Undefined for a text that can match no answer.
 */
export function subjectPath(field: string): readonly string[] | undefined {
  if (field.startsWith('/')) return pointerNames(field);
  // A URL is one member's name. Cut at its dots, it would match nothing.
  if (field.includes('://') || !/^[^.\s]+(\.[^.\s]+)*$/.test(field)) return undefined;
  return field.split('.');
}

/** As `subjectPath`. Throws a TypeError for a text that can match no answer. */
export function checkedSubjectPath(field: string): readonly string[] {
  const path = subjectPath(field);
  if (path !== undefined) return path;
  throw new TypeError(
    `subjectField is ${JSON.stringify(field)}; it must be a dotted path or a JSON Pointer`,
  );
}

function pointerNames(pointer: string): readonly string[] | undefined {
  // "~" stands only in "~0" (a "~") and "~1" (a "/").
  if (/~(?![01])/.test(pointer)) return undefined;
  const names = pointer.slice(1).split('/');
  if (names.includes('')) return undefined;
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A non-empty string without control characters at the path, or a safe integer as its decimal text. */
export function subjectAt(answer: unknown, path: readonly string[]): string | undefined {
  let value = answer;
  for (const name of path) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  return isWellFormed(value) ? value : undefined;
}

/** Whether a subject has more than 1,024 UTF-8 bytes, which is no subject here. */
export function isTooLong(subject: string): boolean {
  return new TextEncoder().encode(subject).length > SUBJECT_MAX_BYTES;
}

/** Control characters and lone surrogates would not survive a log, a URL or a file unchanged. */
function isWellFormed(subject: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(subject);
}
