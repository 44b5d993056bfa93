// Parses what is wrong with each property of a refused record from the message of `VALIDATION_FAILED`,
// whose form src/core/http/README.md promises.

/**
 * Why the service refuses a property's value. An app can use it as the key of a translated sentence.
 *
 * - `missing`: the property is absent.
 * - `empty`: an empty string.
 * - `not_text`: null or another type instead of a string.
 * - `not_a_number`: null, NaN or another type instead of a number.
 * - `not_positive`: 0 or a negative number.
 */
export type FieldReason = 'missing' | 'empty' | 'not_text' | 'not_a_number' | 'not_positive';

export interface FieldProblem {
  /** A later release of the service may have reasons that this type doesn't know. */
  readonly reason: FieldReason;
  /** For developers: `is missing; it must be a non-empty string`. */
  readonly message: string;
}

/** What is wrong with each property that breaks a rule, by its name. */
export type FieldProblems = Readonly<Record<string, FieldProblem>>;

/** No part contains text of the caller, so none contains a separator. */
const PROBLEM = /(\w+) is ([^;]+); it must be ([^;]+)/g;

/** `sent`: the body, in which a NaN has not yet become null. */
export function fieldProblems(message: string, sent: unknown): FieldProblems {
  const fields: Record<string, FieldProblem> = {};
  message.replace(PROBLEM, (_problem, name: string, found: string, wanted: string) => {
    const given = (sent as Record<string, unknown> | undefined)?.[name];
    const shown = typeof given === 'number' ? given : found;
    const message = `is ${shown}; it must be ${wanted}`;
    fields[name] = { reason: reasonOf(found, wanted), message };
    return '';
  });
  return fields;
}

function reasonOf(found: string, wanted: string): FieldReason {
  if (found === 'missing') return 'missing';
  if (!wanted.startsWith('a number')) return found === 'an empty string' ? 'empty' : 'not_text';
  return /\d$/.test(found) ? 'not_positive' : 'not_a_number';
}
