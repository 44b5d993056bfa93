// Reads the rows of a workbook's sheet. A cell is read as its format shows it: a date, a time of day, a
// duration, a number with leading zeros. A cell that could only be guessed is a `CellError`.

import type { CellObject, DenseWorkSheet, Range, WorkBook } from '@e965/xlsx';
import { strFromU8, unzipSync } from 'fflate';
import { BLANK_FORMULA, type Cell, type CellError, textOfCell } from '../cell-values.js';
import { CommandError, describeError } from '../errors.js';
import type { SourceFile } from './source-file.js';
import type { SheetRow } from './text-rows.js';

/** Loaded on demand, because it is larger than everything else that a command loads. */
type Library = typeof import('@e965/xlsx');

/** Valid XML in which the library would miss cells. No spreadsheet program writes it. */
const UNREADABLE_XML = /<(?:\w+:)?(?:row|c|f|v|is|t|mergeCell)[\t\r\n]|<\/[\w:]+\s+>|<!--[^>]*</;
/** Such as 0713445210, a number in the format 0000000000. */
const DIGITS_SHOWN = /^[+\d][\d ()-]*$/;
/** Keeps memory below about 1 GB: 48 MiB of short cells took 22 times their size. A small file may unpack to any size. */
const UNPACKED_MAX_BYTES = 48 * 1_048_576;
/** "Time zone context is Africa/Dar_es_Salaam", which has no daylight saving time. */
const ZONE = '+03:00';
const UNCALCULATED: CellError = {
  problem:
    'the formula has no result in the file; open the file in a spreadsheet program, and save it',
  shown: '',
};

/** `name`: undefined if the workbook has only one sheet with cells. */
export async function workbookRows(
  { path, bytes }: SourceFile,
  name: string | undefined,
): Promise<SheetRow[]> {
  const library = await import('@e965/xlsx');
  const book = openBook(library, path, bytes);
  const found = book.SheetNames.filter((sheet) =>
    name === undefined ? hasCells(sheetOf(book, sheet)) : sheet === name,
  );
  const [only, another] = found;
  if (only === undefined || another !== undefined) {
    const names = book.SheetNames.map((sheet) => JSON.stringify(sheet)).join(', ');
    const given = name === undefined ? '' : ` and no sheet ${JSON.stringify(name)}`;
    throw new CommandError(
      `${path} has the sheets ${names}${given}; pass --sheet with one of them`,
    );
  }
  return rowsOf(library, sheetOf(book, only), book.Workbook?.WBProps?.date1904 === true);
}

function openBook({ read }: Library, path: string, bytes: Buffer): WorkBook {
  try {
    for (const [name, content] of Object.entries(sheetFiles(bytes))) {
      if (UNREADABLE_XML.test(strFromU8(content, true))) {
        throw new Error(`unusual line breaks or comments in ${name}`);
      }
    }
    // `sheetStubs`: reports formulas without a result. `cellStyles`: reports hidden rows.
    return read(bytes, { dense: true, sheetStubs: true, cellNF: true, cellStyles: true });
  } catch (error) {
    throw new CommandError(
      `${path} cannot be read as a workbook (${describeError(error)}); open it in a spreadsheet program, and save it again, or as CSV (UTF-8)`,
    );
  }
}

/** Throws before unpacking more than the limit. */
function sheetFiles(bytes: Buffer) {
  let unpacked = 0;
  return unzipSync(bytes, {
    filter({ name, originalSize }) {
      unpacked += originalSize;
      if (unpacked <= UNPACKED_MAX_BYTES) return /worksheets\/[^/]+\.xml$/.test(name);
      throw new Error(`it unpacks to more than ${UNPACKED_MAX_BYTES} bytes`);
    },
  });
}

function sheetOf(book: WorkBook, name: string): DenseWorkSheet {
  return book.Sheets[name] as DenseWorkSheet;
}

function isFilled(cell: CellObject | undefined): boolean {
  return cell !== undefined && (cell.t !== 'z' || cell.f !== undefined);
}

function hasCells(sheet: DenseWorkSheet): boolean {
  return (sheet['!data'] ?? []).some((cells) => cells?.some(isFilled));
}

function rowsOf(library: Library, sheet: DenseWorkSheet, date1904: boolean): SheetRow[] {
  const data = sheet['!data'] ?? [];
  // Cells that only have a style don't count.
  const width = data.reduce(
    (widest, cells = []) => Math.max(widest, cells.findLastIndex(isFilled) + 1),
    0,
  );
  const rows = Array.from(data, (cells = [], index): SheetRow & { cells: Cell[] } => ({
    line: index + 1,
    cells: Array.from({ length: width }, (_, at) => cellOf(library, cells[at], date1904)),
    isHidden: sheet['!rows']?.[index]?.hidden === true,
  }));
  for (const merge of sheet['!merges'] ?? []) markMerged(rows, merge);
  return rows;
}

/** Merged cells are errors, because only a person knows whether the value is for each row or for one. */
function markMerged(rows: readonly { readonly cells: Cell[] }[], { s: start, e: end }: Range) {
  const shown = textOfCell(rows[start.r]?.cells[start.c]);
  if (shown === '') return;
  const position = `line ${start.r + 1}, column ${start.c + 1}`;
  const problem = `the cell is merged with ${position}; unmerge them, and write the value into each row that it is for`;
  for (const [at, { cells }] of rows.slice(start.r, end.r + 1).entries()) {
    const last = Math.min(end.c, cells.length - 1);
    for (let column = at === 0 ? start.c + 1 : start.c; column <= last; column++) {
      cells[column] = { problem, shown };
    }
  }
}

function cellOf({ SSF }: Library, cell: CellObject | undefined, date1904: boolean): Cell {
  if (cell === undefined) return null;
  const { t: type, v: value, w: shown = '', z: format = 'General', f: formula } = cell;
  if (type === 'e') {
    return { problem: 'the formula has an error; fix it in a spreadsheet program', shown };
  }
  if (type === 'z') return formula === undefined ? null : UNCALCULATED;
  if (value === '' && formula !== undefined) return BLANK_FORMULA;
  if (typeof value !== 'number') return (value ?? null) as Cell;
  if (typeof format !== 'string' || !SSF.is_date(format)) {
    // Spreadsheets show 15 digits, so 3000.0000000000005 is 3000.
    const number = Number(value.toPrecision(15));
    const isPlain = shown === String(number) || !DIGITS_SHOWN.test(shown);
    return isPlain ? number : { number, shown };
  }
  const date = SSF.parse_date_code(value, { date1904 });
  const parts = format.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '');
  // A format without year and day shows a time of day or a duration.
  if (!/[yd]|m{3}/i.test(parts) || !date) return shown;
  const at = new Date(Date.UTC(date.y, date.m - 1, date.d, date.H, date.M, date.S)).toISOString();
  return /h/i.test(parts) ? at.slice(0, 19) + ZONE : at.slice(0, 10);
}
