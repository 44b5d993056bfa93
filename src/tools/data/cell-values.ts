// Converts between spreadsheet cells and values. The table of collections has the type of each
// property; a text that can't be parsed as that type is refused, never guessed.
//
// Our own exports round-trip: `parseCell` returns the values that `cellOfValue` was given.

import { isJsonObject, type JsonValue } from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';

/** Typed as in a workbook; a date is an ISO 8601 text. */
export type Cell = string | number | boolean | FormattedNumber | CellError | null;

/** A number whose format shows other digits, such as 713445210 as 0713445210. */
export interface FormattedNumber {
  readonly number: number;
  readonly shown: string;
}

/** A workbook's cell whose value can't be read, such as a formula with an error or a merged cell. */
export interface CellError {
  readonly problem: string;
  readonly shown: string;
}

/**
 * A formula whose result is an empty text: usually an intentionally empty cell. Refused in a column of
 * amounts, because some programs write the same for a formula without a result.
 */
export const BLANK_FORMULA: CellError = {
  problem: 'the formula has no result, or an empty text; write the amount',
  shown: '',
};

export function isCellError(cell: Cell | undefined): cell is CellError {
  return cell !== null && typeof cell === 'object' && 'problem' in cell;
}

export function isEmptyCell(cell: Cell, property?: Property): boolean {
  if (cell === BLANK_FORMULA) return !isQuantity(property);
  return cell === null || cell === '';
}

/** A cell's text for messages and headers. */
export function textOfCell(cell: Cell | undefined): string {
  return cell && typeof cell === 'object' && 'shown' in cell ? cell.shown : String(cell ?? '');
}

/** A double preserves any number of up to this many digits. */
const DIGITS_MAX = 15;
const SPACES = /[\u0020\u00a0\u2009\u202f]/g;
/** `1.000,50` with a decimal comma, `1,000.50` with a point; groups of three by mark, space or apostrophe. */
const FORMS: Readonly<Record<DecimalMark, RegExp>> = {
  '.': /^([+-]?)([1-9]\d{0,2}(?:([, '])\d{3})(?:\3\d{3})*|\d+)(?:\.(\d+))?$/,
  ',': /^([+-]?)([1-9]\d{0,2}(?:([. '])\d{3})(?:\3\d{3})*|\d+)(?:,(\d+))?$/,
};

export type DecimalMark = ',' | '.';
export type DayOrder = 'dmy' | 'mdy';

export interface CellReading {
  /** Undefined: ambiguous numbers are refused. */
  readonly decimal?: DecimalMark | undefined;
  /** Undefined: ambiguous dates are refused. */
  readonly dates?: DayOrder | undefined;
  /** Whether the file is one of our exports. */
  readonly isExport?: boolean;
}

export type CellValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string };

/** Texts that a spreadsheet program runs as a formula, or treats as a number, so that it saves 0713 as 713. */
const REINTERPRETED = /^(?:[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]|0\d+$|\d{12,}$)/;
/** Such a text after the apostrophe that escapes it, and after any that it had before. */
const GUARDED = new RegExp(`^'+(?=${REINTERPRETED.source.slice(1)})`);
/** `7,54E+08`: a spreadsheet treated the text as a number, and most of its digits are lost. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+?\d{1,2}$/i;
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const DAY = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;
const YES = /^(?:true|yes|ndiyo|1)$/i;
const NO = /^(?:false|no|hapana|0)$/i;
/** What a spreadsheet shows for a formula with an error. */
const SHEET_ERROR = /^#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|SPILL!|CALC!)$/;
const NOT_A_DATE = 'the value is not a date; it must be one such as 2026-12-31 or 31/12/2026';
/** Bidirectional marks, zero-width spaces and byte order marks, which copied telephone numbers contain. */
export const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** `property`: undefined if the table of collections has none of this name. */
export function parseCell(
  cell: NonNullable<Cell>,
  property: Property | undefined,
  reading: CellReading,
): CellValue {
  if (typeof cell === 'string') {
    return (
      (reading.isExport && exportedValue(cell, property)) || textValue(cell, property, reading)
    );
  }
  if (isCellError(cell)) return refused(cell.problem);
  if (typeof cell === 'object') {
    return parseCell(isQuantity(property) ? cell.number : cell.shown, property, reading);
  }
  const isOfKind = typeof cell === 'boolean' ? property?.kind === 'flag' : isQuantity(property);
  if (property === undefined || isOfKind) return { ok: true, value: cell };
  return textValue(String(cell).toUpperCase(), property, reading);
}

function isQuantity(property: Property | undefined): boolean {
  return property?.kind === 'money' || property?.kind === 'number';
}

function textValue(text: string, property: Property | undefined, reading: CellReading): CellValue {
  if (text.includes('\0')) {
    return refused(
      'the value has a NUL character; the file is damaged, or it is UTF-16: pass --encoding',
    );
  }
  if (SHEET_ERROR.test(text)) {
    return refused('the formula has an error; fix it in a spreadsheet program');
  }
  switch (property?.kind) {
    case 'money':
    case 'number':
      return numberOfText(text, reading.decimal);
    case 'moment':
      return momentValue(text.trim(), reading.dates);
    case 'flag':
      if (YES.test(text.trim())) return { ok: true, value: true };
      if (NO.test(text.trim())) return { ok: true, value: false };
      return refused('the value is neither yes nor no; it must be TRUE or FALSE');
    case 'object': {
      const value = parsed(text);
      return isJsonObject(value)
        ? { ok: true, value }
        : refused('the value is not a JSON object; it must be one such as {"size":"M"}');
    }
    default: {
      const plain = property?.name === 'phone' ? text.replace(INVISIBLE, '') : text;
      if (property?.name === 'phone' && ROUNDED.test(plain.trim())) {
        return refused(
          'a spreadsheet has rounded this telephone number; write it in full, in a column whose format is text',
        );
      }
      return { ok: true, value: GUARDED.test(plain) ? plain.slice(1) : plain };
    }
  }
}

/**
 * `mark`: the decimal mark. Undefined: ambiguous texts are refused, because `1.000` is a thousand in one
 * country and one in another.
 */
export function numberOfText(text: string, mark?: DecimalMark): CellValue {
  const given = text.trim().replace(SPACES, ' ');
  const marks: readonly DecimalMark[] = mark === undefined ? ['.', ','] : [mark];
  const readings = new Set<string>();
  for (const candidate of marks) {
    const [found, sign = '', whole = '', , fraction = ''] = FORMS[candidate].exec(given) ?? [];
    if (found === undefined) continue;
    const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
    // So that 1.0 and 1 are the same reading.
    const rest = fraction.replace(/0+$/, '');
    readings.add(`${sign === '-' ? '-' : ''}${digits}${rest === '' ? '' : `.${rest}`}`);
  }
  const [reading, other] = readings;
  if (reading === undefined) {
    return refused('the value is not a number; it must be digits, without currency');
  }
  if (other !== undefined) {
    return refused(`the value could be ${reading} or ${other}; pass --decimal , or --decimal .`);
  }
  const value = Number(reading);
  const digits = reading.replace(/\D/g, '').replace(/^0+/, '').length;
  if (digits <= DIGITS_MAX || String(value) === reading) return { ok: true, value };
  return refused(`the value has more than ${DIGITS_MAX} digits; round it, or store it as text`);
}

function momentValue(text: string, order: DayOrder | undefined): CellValue {
  const [isIso, isoYear, isoMonth, isoDay] = ISO.exec(text) ?? [];
  if (isIso !== undefined && calendarDay(isoYear, isoMonth, isoDay) !== undefined) {
    return { ok: true, value: text };
  }
  const [, first, mark, second, year] = DAY.exec(text) ?? [];
  const dmy = calendarDay(year, second, first);
  const mdy = mark === '.' ? undefined : calendarDay(year, first, second);
  const value = order === 'dmy' ? dmy : order === 'mdy' ? mdy : (dmy ?? mdy);
  if (value === undefined) return refused(NOT_A_DATE);
  if (order === undefined && dmy !== undefined && mdy !== undefined && dmy !== mdy) {
    return refused(`the value could be ${dmy} or ${mdy}; pass --dates dmy or --dates mdy`);
  }
  return { ok: true, value };
}

/** Undefined if the calendar has no such day. */
function calendarDay(year = '', month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? text : undefined;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refused(problem: string): CellValue {
  return { ok: false, problem };
}

/** Undefined if no export writes such a cell, which is then parsed as in any other file. */
function exportedValue(cell: string, property: Property | undefined): CellValue | undefined {
  if (cell.startsWith("'")) return { ok: true, value: cell.slice(1) };
  // The service stores no other type there.
  if (property?.rule && property.kind === 'text') return { ok: true, value: cell };
  const number = Number(cell.replace(',', '.'));
  const mark = cell.includes(',') ? ',' : '.';
  if (Number.isFinite(number) && String(number).replace('.', mark) === cell)
    return { ok: true, value: number };
  const value = /^[[{ntf]/.test(cell) ? parsed(cell) : undefined;
  return value !== undefined && JSON.stringify(value) === cell ? { ok: true, value } : undefined;
}

/** How an export writes a value. `isForExcel`: texts that Excel would treat as a formula or number are escaped. */
export function cellOfValue(
  value: JsonValue,
  property: Property | undefined,
  { decimal, isForExcel }: { readonly decimal: DecimalMark; readonly isForExcel: boolean },
): string {
  if (typeof value === 'number') return String(value).replace('.', decimal);
  if (typeof value !== 'string') return JSON.stringify(value);
  const back = parseCell(value, property, { isExport: true });
  const isKept = back.ok && back.value === value && value !== '';
  const isGuarded = isForExcel && REINTERPRETED.test(value);
  return isKept && !isGuarded && !value.startsWith("'") ? value : `'${value}`;
}
