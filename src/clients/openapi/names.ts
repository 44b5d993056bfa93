// Names of the document that several of its parts write.

/** The tags of the operator's requests. */
export const ADMIN_VIEWS = 'Admin views';
export const ADMIN_RECORDS = 'Admin records';

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
