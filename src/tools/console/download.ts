// A collection of an account as CSV, as `export --excel` writes it: spreadsheet programs open it,
// and importing it makes the same records.

import { paymentOf } from '../../core/domain/payment.js';
import { csvHeader, csvRow } from '../data/export/csv-lines.js';
import { recordsOf } from '../data/service.js';
import { PageError } from './failure.js';
import type { ConsoleParts } from './parts.js';
import { PAYMENTS, type Tab } from './paths.js';
import { PAGE_SIZE } from './service.js';

const STYLE = { delimiter: ',', decimal: '.', isForExcel: true } as const;
const NAME_MAX_CHARACTERS = 60;
/** It is in memory while it is made, because its header has the properties of every record. */
const CHARACTERS_MAX = 16 * 1_048_576;

/** Oldest first. Resolves once every record has been read, so a download that starts is complete. Throws a `PageError` if it is too large. */
export async function csvOf({ client }: ConsoleParts, account: string, tab: Tab): Promise<string> {
  const collection = tab === PAYMENTS ? undefined : tab;
  const columns = new Set<string>();
  const rows: string[] = [];
  let characters = 0;
  const records = recordsOf(client, account, collection ?? 'orders');
  for await (const record of records.all({ page_size: PAGE_SIZE })) {
    const row = collection === undefined ? paymentOf(record) : record;
    for (const name of Object.keys(row)) columns.add(name);
    // A parsed record takes several times the memory of its text.
    const text = JSON.stringify(row);
    characters += text.length;
    if (characters > CHARACTERS_MAX) {
      const hint = 'The command `service-management export` writes it.';
      throw new PageError(413, 'This collection is too large to download here.', hint);
    }
    rows.push(text);
  }
  const lines = rows.reverse().map((row) => csvRow(JSON.parse(row), columns, STYLE, collection));
  return csvHeader(columns, STYLE) + lines.join('');
}

/** Only letters, digits and hyphens of the subject are in the file's name. */
export function csvHeaders(account: string, tab: Tab): Record<string, string> {
  const name = account.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, NAME_MAX_CHARACTERS);
  return {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}-${tab}.csv"`,
  };
}
