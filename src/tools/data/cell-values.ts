// A spreadsheet cell and the value that it stands for. The table of collections has the type
// of each property; a text that can't be read as that type is refused, never guessed.
//
// Our own exports round-trip: their cells are read back as the values that `cellOfValue` got.

import { isJsonObject, type JsonValue } from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';
import { type DecimalMark, DIGITS_MAX, numberOfText, textOfNumber } from './number-text.js';

/** Typed as in a workbook. A date holds wall-clock time in its UTC fields. */
export type Cell = string | number | boolean | Date | FormattedNumber | CellFault | null;

/** A number that its format shows as other digits, such as 713445210 as 0713445210. */
export interface FormattedNumber {
  readonly number: number;
  readonly shown: string;
}

/** A cell of a workbook without a value that can be read: an error, a merged cell. */
export interface CellFault {
  readonly problem: string;
  readonly shown: string;
}

/**
 * A formula whose result is an empty text, most often on purpose: an empty cell. In a column of
 * amounts it is refused, because some programs write the same for a formula without a result.
 */
export const BLANK_FORMULA: CellFault = {
  problem: 'the formula has no result, or an empty text; write the amount',
  shown: '',
};

export function isFault(cell: Cell | undefined): cell is CellFault {
  return cell !== null && typeof cell === 'object' && 'problem' in cell;
}

export function isEmptyCell(cell: Cell, property?: Property): boolean {
  if (cell === BLANK_FORMULA) return !isQuantity(property);
  return cell === null || cell === '';
}

/** For messages and headers. */
export function textOfCell(cell: Cell | undefined): string {
  return cell && typeof cell === 'object' && 'shown' in cell ? cell.shown : String(cell ?? '');
}

export type DayOrder = 'dmy' | 'mdy';

export interface CellReading {
  /** Undefined: only unambiguous texts are numbers. */
  readonly decimal: DecimalMark | undefined;
  /** Undefined: only unambiguous days are dates. */
  readonly dates: DayOrder | undefined;
  /** Whether the file is an export of ours. */
  readonly isOwn: boolean;
}

export type CellValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string };

/** A spreadsheet program runs such a text as a formula, or takes it for a number and saves 0713 as 713. */
const REINTERPRETED = /^(?:[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]|0\d+$|\d{12,}$)/;
/** Such a text behind the apostrophe that disarms it, and behind any that it had already. */
const GUARDED = new RegExp(`^'+(?=${REINTERPRETED.source.slice(1)})`);
/** `7,54E+08`: a spreadsheet treated the number as a quantity, and most of its digits are lost. */
const ROUNDED = /^[+-]?\d(?:[.,]\d+)?E\+?\d{1,2}$/i;
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const DAY = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;
const YES = /^(?:true|yes|ndiyo|1)$/i;
const NO = /^(?:false|no|hapana|0)$/i;
/** What a spreadsheet shows for a formula that it cannot compute. */
const SHEET_ERROR = /^#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|SPILL!|CALC!)$/;
const NOT_A_NUMBER = 'the value is not a number; it must be digits, without currency';
const NOT_A_DATE =
  'the value is not a date; it must be one such as 2026-12-31 or 31/12/2026, or a date cell';
/** Bidirectional marks, zero-width spaces and byte order marks, which a copied telephone number brings along. */
export const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
/** The kinds of properties that accept a workbook's typed cell unchanged. */
const KINDS_OF_CELL: Readonly<Record<string, readonly string[]>> = {
  number: ['money', 'number'],
  boolean: ['flag'],
  object: ['moment'],
};
/** "Time zone context is Africa/Dar_es_Salaam", which has no daylight saving time. */
const ZONE = '+03:00';

/** `property`: undefined if the table of collections has none of that name. */
export function valueOfCell(
  cell: NonNullable<Cell>,
  property: Property | undefined,
  reading: CellReading,
): CellValue {
  if (typeof cell === 'string') {
    return (reading.isOwn && ownValue(cell, property)) || textValue(cell, property, reading);
  }
  if (isFault(cell)) return refused(cell.problem);
  if (typeof cell === 'object' && 'number' in cell) {
    return valueOfCell(isQuantity(property) ? cell.number : cell.shown, property, reading);
  }
  const value = cell instanceof Date ? isoText(cell) : cell;
  const kinds = KINDS_OF_CELL[typeof cell];
  if (property === undefined || kinds?.includes(property.kind)) return { ok: true, value };
  return textValue(String(value).toUpperCase(), property, reading);
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
    return refused('the formula is an error; correct it in a spreadsheet program');
  }
  switch (property?.kind) {
    case 'money':
    case 'number':
      return numberValue(text, reading.decimal);
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

function numberValue(text: string, decimal: DecimalMark | undefined): CellValue {
  const number = numberOfText(text, decimal);
  if (number.ok) {
    const { value, decimals } = number;
    if (decimals !== 3) return { ok: true, value };
    // 120.000 most often means a hundred and twenty thousand, even if the
    // other amounts have a decimal point.
    const whole = text.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
    return refused(
      `three decimals are most often thousands; write ${whole}, or ${textOfNumber(value, '.')} if it is a fraction`,
    );
  }
  switch (number.why) {
    case 'ambiguous':
      return refused(
        `the value could be ${number.readings.join(' or ')}; pass --decimal , or --decimal .`,
      );
    case 'too long':
      return refused(`the value has more than ${DIGITS_MAX} digits; round it, or store it as text`);
    case 'unreadable':
      return refused(NOT_A_NUMBER);
  }
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

/** A workbook stores fractions of days, which are slightly off whole seconds. */
function isoText(date: Date): string {
  const text = new Date(Math.round(date.getTime() / 1000) * 1000).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19) + ZONE;
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

/** Undefined: not written by an export, so read as in any other file. */
function ownValue(cell: string, property: Property | undefined): CellValue | undefined {
  if (cell.startsWith("'")) return { ok: true, value: cell.slice(1) };
  // The service stores no other type there.
  if (property?.isRequired && property.kind === 'text') return { ok: true, value: cell };
  const number = Number(cell.replace(',', '.'));
  const mark = cell.includes(',') ? ',' : '.';
  if (Number.isFinite(number) && textOfNumber(number, mark) === cell)
    return { ok: true, value: number };
  const value = /^[[{ntf]/.test(cell) ? parsed(cell) : undefined;
  return value !== undefined && JSON.stringify(value) === cell ? { ok: true, value } : undefined;
}

/** How an export writes a value. `isForExcel`: no text is treated as a formula or a number. */
export function cellOfValue(
  value: JsonValue,
  property: Property | undefined,
  { decimal, isForExcel }: { readonly decimal: DecimalMark; readonly isForExcel: boolean },
): string {
  if (typeof value === 'number') return textOfNumber(value, decimal);
  if (typeof value !== 'string') return JSON.stringify(value);
  const reading = { decimal: undefined, dates: undefined, isOwn: true };
  const back = valueOfCell(value, property, reading);
  const isKept = back.ok && back.value === value && value !== '';
  const isGuarded = isForExcel && REINTERPRETED.test(value);
  return isKept && !isGuarded && !value.startsWith("'") ? value : `'${value}`;
}
