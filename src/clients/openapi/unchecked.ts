// Marks what the document says by agreement only: the service takes and keeps
// any value there. Type, minimum and default help a reader and a typed client.

import type * as z from 'zod';

/** The mark in the document: `x-unchecked: true` beside the type. */
export const UNCHECKED = 'x-unchecked';

/** Words for a property of an answer that the service does not check. */
export const UNCHECKED_WORDS = 'By agreement: the service does not check it';

export function unchecked<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), [UNCHECKED]: true }) as Schema;
}
