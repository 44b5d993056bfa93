// The rows of a workbook's sheet, with typed cells.

import { readFile } from 'node:fs/promises';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import readWorkbook from 'read-excel-file/universal';
import { messageOf } from '../../program/command.js';
import type { Cell } from '../cell-values.js';
import { CommandError } from '../failures.js';
import type { SheetRow } from './csv-rows.js';
import type { SourceFile } from './source-file.js';

/** `name`: undefined if the workbook has only one sheet with cells. */
export async function* workbookRows(
  { path }: SourceFile,
  name: string | undefined,
): AsyncGenerator<SheetRow, void> {
  const sheets = await sheetsOf(path);
  const named = sheets.filter(({ sheet, data }) =>
    name === undefined ? data.length > 0 : sheet === name,
  );
  const [only, another] = named;
  if (only === undefined || another !== undefined) {
    const names = sheets.map(({ sheet }) => JSON.stringify(sheet)).join(', ');
    const given = name === undefined ? '' : ` and no sheet ${JSON.stringify(name)}`;
    throw new CommandError(
      `${path} has the sheets ${names}${given}; pass --sheet with one of them`,
    );
  }
  for (const [index, cells] of only.data.entries()) {
    yield { line: index + 1, cells: cells as unknown as Cell[] };
  }
}

async function sheetsOf(path: string) {
  try {
    const { buffer } = withErrors(await readFile(path));
    return await readWorkbook(buffer as ArrayBuffer, { trim: false });
  } catch (error) {
    throw new CommandError(
      `${path} cannot be read as a workbook (${messageOf(error)}); save it again, or as CSV (UTF-8)`,
    );
  }
}

const ERROR_CELL = /(<c\b[^>]*?\st=)"e"/g;
/** A cell without a type, whose formula has no result in the file. */
const UNCALCULATED_CELL =
  /(<c\b(?:(?!\st=)[^>])*)>(\s*<f\b[^>]*(?:\/>|>[^<]*<\/f>)\s*)(?:<v\s*\/>|<v><\/v>)?\s*(?=<\/c>)/g;

/**
 * The library reads an error such as #REF!, and a formula without its result, as an empty
 * cell: `paid` would become 0. Turned into text, they are refused with their position.
 */
function withErrors(workbook: Uint8Array): Uint8Array {
  const files = unzipSync(workbook, { filter: ({ name }) => /\.(?:xml|rels)$/.test(name) });
  for (const [name, bytes] of Object.entries(files)) {
    if (!/worksheets\/[^/]+\.xml$/.test(name)) continue;
    const text = strFromU8(bytes)
      .replace(ERROR_CELL, '$1"str"')
      .replace(UNCALCULATED_CELL, '$1 t="str">$2<v>#N/A</v>');
    files[name] = strToU8(text);
  }
  return zipSync(files, { level: 0 });
}
