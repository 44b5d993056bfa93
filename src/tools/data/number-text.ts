// Numbers as people write them, and as a spreadsheet reads them: the one rule for the
// import, the export and the console. `1.000` is a thousand in one country and one in
// another: such a text has two readings, and is never guessed.

export type DecimalMark = ',' | '.';

export type NumberText =
  | { readonly ok: true; readonly value: number }
  /** `readings`: the two numbers that the text could be, as programs write them. */
  | { readonly ok: false; readonly why: 'ambiguous'; readonly readings: readonly [string, string] }
  | { readonly ok: false; readonly why: 'unreadable' | 'too long' };

/** A double keeps every number of up to this many digits. */
export const DIGITS_MAX = 15;
const SPACES = /[\u0020\u00a0\u2009\u202f]/g;

/** `1.000,50` with a decimal comma, `1,000.50` with a point, groups of three by mark, space or apostrophe. */
const FORMS: Readonly<Record<DecimalMark, RegExp>> = {
  '.': /^([+-]?)([1-9]\d{0,2}(?:([, '])\d{3})(?:\3\d{3})*|\d+)(?:\.(\d+))?$/,
  ',': /^([+-]?)([1-9]\d{0,2}(?:([. '])\d{3})(?:\3\d{3})*|\d+)(?:,(\d+))?$/,
};

/** `mark`: the decimal mark. Undefined: only texts with a single reading are numbers. */
export function numberOfText(text: string, mark?: DecimalMark): NumberText {
  const given = text.trim().replace(SPACES, ' ');
  const marks: readonly DecimalMark[] = mark === undefined ? ['.', ','] : [mark];
  const readings = new Set<string>();
  for (const candidate of marks) {
    const reading = readAs(given, candidate);
    if (reading !== undefined) readings.add(reading);
  }
  const [reading, other] = readings;
  if (reading === undefined) return { ok: false, why: 'unreadable' };
  if (other !== undefined) return { ok: false, why: 'ambiguous', readings: [reading, other] };
  const value = Number(reading);
  const digits = reading.replace(/\D/g, '').replace(/^0+/, '').length;
  if (digits > DIGITS_MAX && String(value) !== reading) return { ok: false, why: 'too long' };
  return { ok: true, value };
}

/**
 * The number for a spreadsheet with that decimal mark, and so that it has a single
 * reading: `1.234` is written `1,2340`, because `1,234` could be a thousand.
 */
export function textOfNumber(value: number, mark: DecimalMark): string {
  const plain = String(value);
  return (/^-?[1-9]\d{0,2}\.\d{3}$/.test(plain) ? `${plain}0` : plain).replace('.', mark);
}

/** The number as programs write it; undefined if the text is no such number. */
function readAs(text: string, mark: DecimalMark): string | undefined {
  const found = FORMS[mark].exec(text);
  if (found === null) return undefined;
  const [, sign = '', whole = '', , fraction = ''] = found;
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
  // 1.0 and 1 are the same reading.
  const rest = fraction.replace(/0+$/, '');
  return `${sign === '-' ? '-' : ''}${digits}${rest === '' ? '' : `.${rest}`}`;
}
