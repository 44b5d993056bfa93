// What is wrong with each property of a refused record: read from the message of
// `VALIDATION_FAILED`, whose form is promised in src/core/http/README.md.

/**
 * Why the service refuses a property's value, for a sentence in the language of the app.
 *
 * - `missing`: there is no such property.
 * - `empty`: an empty text.
 * - `not_text`: null or of another type, where a text must be.
 * - `not_a_number`: null, NaN or of another type, where a number must be.
 * - `not_positive`: a number that is 0 or below.
 */
export type FieldReason = 'missing' | 'empty' | 'not_text' | 'not_a_number' | 'not_positive';

export interface FieldProblem {
  /** A later release of the service may have reasons that this type does not know. */
  readonly reason: FieldReason;
  /** For developers: `is missing; it must be a non-empty string`. */
  readonly message: string;
}

/** What is wrong with each property that breaks a rule, by its name. */
export type FieldProblems = Readonly<Record<string, FieldProblem>>;

/** No part of it holds a text of the caller, so that no separator is inside a part. */
const PROBLEM = /(\w+) is ([^;]+); it must be ([^;]+)/g;

/** `sent`: the body, which knows a NaN that its JSON has as null. */
export function fieldProblems(message: string, sent: unknown): FieldProblems {
  const fields: Record<string, FieldProblem> = {};
  message.replace(PROBLEM, (_problem, name: string, found: string, wanted: string) => {
    const given = (sent as Record<string, unknown> | undefined)?.[name];
    const isLost = found === 'null' && typeof given === 'number';
    fields[name] = {
      reason: reasonOf(found, wanted),
      message: `is ${isLost ? given : found}; it must be ${wanted}`,
    };
    return '';
  });
  return fields;
}

function reasonOf(found: string, wanted: string): FieldReason {
  if (found === 'missing') return 'missing';
  if (!wanted.startsWith('a number')) return found === 'an empty string' ? 'empty' : 'not_text';
  return /\d$/.test(found) ? 'not_positive' : 'not_a_number';
}
