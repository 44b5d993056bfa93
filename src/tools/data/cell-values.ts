// A cell of a spreadsheet, and the value that it stands for. The table of collections says
// what a property holds; a text that cannot be read as that is refused, never guessed.
//
// Our own exports come back exactly: there, a cell is the value that `cellOfValue` wrote.

import { DEFAULT_CURRENCY } from '../../core/domain/collections.js';
import { isJsonObject, type JsonValue } from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';
import { type DecimalMark, DIGITS_MAX, numberOfText, textOfNumber } from './number-text.js';

/** As a workbook types it. A date is the wall clock's time, in the fields for UTC. */
export type Cell = string | number | boolean | Date | null;

export type DayOrder = 'dmy' | 'mdy';

export interface CellReading {
  /** Undefined: only texts with a single reading are numbers. */
  readonly decimal: DecimalMark | undefined;
  /** Undefined: only days with a single reading are dates. */
  readonly dates: DayOrder | undefined;
  /** Whether the file is an export of ours. */
  readonly isOwn: boolean;
  /** Of the row. */
  readonly currency: string;
}

/** `option`: decides for all such cells. `amount`: how the number was written. */
export type CellValue =
  | { readonly ok: true; readonly value: JsonValue; readonly amount?: Amount }
  | { readonly ok: false; readonly problem: string; readonly option?: '--decimal' | '--dates' };

interface Amount {
  readonly hasThousands: boolean;
  readonly hasThousandths: boolean;
}

/** A spreadsheet program takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
/** An apostrophe that was put before such a text, or before one that has an apostrophe already. */
const GUARDED_FORMULA = /^'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
/** `7,54E+08`: a spreadsheet took the number for a quantity, and most of its digits are lost. */
const ROUNDED = /^[+-]?\d(?:[.,]\d+)?E\+?\d{1,2}$/i;
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const DAY = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;
const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  ndiyo: true,
  '1': true,
  false: false,
  no: false,
  hapana: false,
  '0': false,
};
/** What a spreadsheet shows for a formula that it cannot compute. */
const SHEET_ERROR = /^#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|SPILL!|CALC!)$/;
/** Stands for a formula whose result is not in the file. */
export const NO_RESULT = '#RESULT!';
/** "Time zone context is Africa/Dar_es_Salaam", which has no summer time. */
const ZONE = '+03:00';

/** `property`: undefined where the table of collections has none of that name. */
export function valueOfCell(
  cell: string | number | boolean | Date,
  property: Property | undefined,
  reading: CellReading,
): CellValue {
  if (typeof cell === 'string') {
    return (reading.isOwn && ownValue(cell, property)) || textValue(cell, property, reading);
  }
  const value = cell instanceof Date ? isoText(cell) : cell;
  switch (property?.kind) {
    case undefined:
      return { ok: true, value };
    case 'text':
      return {
        ok: true,
        value: typeof value === 'boolean' ? String(value).toUpperCase() : String(value),
      };
    case 'money':
    case 'number':
      return typeof value === 'number' ? { ok: true, value } : notA('number', 'digits');
    case 'moment':
      return cell instanceof Date ? { ok: true, value } : notADate('; format the cell as a date');
    default:
      return textValue(String(value), property, reading);
  }
}

function textValue(text: string, property: Property | undefined, reading: CellReading): CellValue {
  if (text.includes('\0')) {
    const problem =
      'the value has a NUL character; the file is damaged, or it is UTF-16: pass --encoding';
    return { ok: false, problem };
  }
  if (SHEET_ERROR.test(text) || text === NO_RESULT) {
    const what = text === NO_RESULT ? 'has no result in the file' : 'is an error';
    const problem = `the formula ${what}; correct it in a spreadsheet program, and save the file`;
    return { ok: false, problem };
  }
  switch (property?.kind) {
    case 'money':
    case 'number':
      return numberValue(text, property, reading);
    case 'moment':
      return momentValue(text.trim(), reading.dates);
    case 'flag': {
      const value = FLAGS[text.trim().toLowerCase()];
      return value === undefined ? notA('yes or no', 'TRUE or FALSE') : { ok: true, value };
    }
    case 'object':
      return objectValue(text);
    default:
      if (property?.name === 'phone' && ROUNDED.test(text.trim())) {
        const problem =
          'a spreadsheet has rounded this telephone number; write it in full, in a column whose format is text';
        return { ok: false, problem };
      }
      return { ok: true, value: GUARDED_FORMULA.test(text) ? text.slice(1) : text };
  }
}

function numberValue(
  text: string,
  { kind }: Property,
  { decimal, currency }: CellReading,
): CellValue {
  const number = numberOfText(text, decimal);
  if (number.ok) {
    const { value, decimals, groups } = number;
    if (kind !== 'money') return { ok: true, value };
    const hasThousandths = decimals === 3;
    if (hasThousandths && !isDividedBy1000(currency)) {
      return refusedThousandths(text, `${currency} has no thousandths`);
    }
    return { ok: true, value, amount: { hasThousands: groups !== undefined, hasThousandths } };
  }
  switch (number.why) {
    case 'ambiguous': {
      const problem = `the value could be ${number.readings.join(' or ')}; pass --decimal , or --decimal .`;
      return { ok: false, problem, option: '--decimal' };
    }
    case 'too long':
      return { ok: false, problem: `the value has more than ${DIGITS_MAX} digits; write fewer` };
    case 'unreadable':
      return notA(
        'number',
        `${decimal === undefined ? 'digits' : `digits with "${decimal}" before the fraction`}, without currency`,
      );
  }
}

/** `120.000` may be 120 or 120000, whatever the operator says of the others. */
export function refusedThousandths(text: string, why: string): CellValue {
  const [whole = '', fraction = ''] = text.trim().split(/[.,](?=\d{3}$)/);
  const digits = whole.replace(/\D/g, '');
  const [one, other] = [Number(`${digits}.${fraction}`), Number(digits + fraction)];
  const problem = `the value could be ${one} or ${other}, since ${why}; write the one that is meant`;
  return { ok: false, problem };
}

function isDividedBy1000(currency: string): boolean {
  try {
    const { maximumFractionDigits = 0 } = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
    }).resolvedOptions();
    return maximumFractionDigits >= 3;
  } catch {
    return false;
  }
}

function momentValue(text: string, order: DayOrder | undefined): CellValue {
  const [isIso, isoYear, isoMonth, isoDay] = ISO.exec(text) ?? [];
  if (isIso !== undefined) {
    return calendarDay(isoYear, isoMonth, isoDay) === undefined
      ? notADate()
      : { ok: true, value: text };
  }
  const [, first, mark, second, year] = DAY.exec(text) ?? [];
  const dmy = calendarDay(year, second, first);
  const mdy = mark === '.' ? undefined : calendarDay(year, first, second);
  const value = order === 'dmy' ? dmy : order === 'mdy' ? mdy : (dmy ?? mdy);
  if (value === undefined) return notADate();
  if (order === undefined && dmy !== undefined && mdy !== undefined && dmy !== mdy) {
    const problem = `the value could be ${dmy} or ${mdy}; pass --dates dmy or --dates mdy`;
    return { ok: false, problem, option: '--dates' };
  }
  return { ok: true, value };
}

/** Undefined where the calendar has no such day. */
function calendarDay(year = '', month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? text : undefined;
}

/** A workbook holds fractions of days, which miss whole seconds by a little. */
function isoText(date: Date): string {
  const text = new Date(Math.round(date.getTime() / 1000) * 1000).toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19) + ZONE;
}

function objectValue(text: string): CellValue {
  try {
    const value: JsonValue = JSON.parse(text);
    if (isJsonObject(value)) return { ok: true, value };
  } catch {}
  return notA('JSON object', 'one such as {"size":"M"}');
}

function notA(kind: string, wanted: string): CellValue {
  return { ok: false, problem: `the value is not a ${kind}; it must be ${wanted}` };
}

function notADate(more = ''): CellValue {
  const problem = `the value is not a date; it must be one such as 2026-12-31 or 31/12/2026${more}`;
  return { ok: false, problem };
}

/** Undefined: a person has written it, and it is read as in any file. */
function ownValue(cell: string, property: Property | undefined): CellValue | undefined {
  if (cell.startsWith("'")) return { ok: true, value: cell.slice(1) };
  // The service stores no other type there.
  if (property?.isRequired && property.kind === 'text') return { ok: true, value: cell };
  const number = Number(cell.replace(',', '.'));
  const mark = cell.includes(',') ? ',' : '.';
  if (Number.isFinite(number) && textOfNumber(number, mark) === cell)
    return { ok: true, value: number };
  if (!/^[[{ntf]/.test(cell)) return undefined;
  try {
    const value: JsonValue = JSON.parse(cell);
    if (JSON.stringify(value) === cell) return { ok: true, value };
  } catch {}
  return undefined;
}

/** How an export writes a value. `isForExcel`: no text is taken for a formula. */
export function cellOfValue(
  value: JsonValue,
  property: Property | undefined,
  { decimal, isForExcel }: { readonly decimal: DecimalMark; readonly isForExcel: boolean },
): string {
  if (typeof value === 'number') return textOfNumber(value, decimal);
  if (typeof value !== 'string') return JSON.stringify(value);
  const reading = { decimal: undefined, dates: undefined, isOwn: true, currency: DEFAULT_CURRENCY };
  const back = valueOfCell(value, property, reading);
  const isKept = back.ok && back.value === value && value !== '';
  const isFormula = isForExcel && FORMULA.test(value);
  return isKept && !isFormula && !value.startsWith("'") ? value : `'${value}`;
}
