// The words of the console that more than one page has.

import { byCollection } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';

/** Above a list of these. */
export const HEADINGS = {
  ...byCollection((name) => COLLECTIONS[name].names.heading),
  payments: 'Payments',
};

/** One of them, within a sentence. */
export const SHORT_NAMES = byCollection((name) => COLLECTIONS[name].names.short);

/** `1 record`, `2,098 records`; `count`: as it is shown. */
export function counted(count: string, one: string): string {
  return `${count} ${count === '1' ? one : `${one}s`}`;
}
