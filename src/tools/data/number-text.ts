// Numbers as people write them and spreadsheets read them: the rule that import, export and
// console share. `1.000` is a thousand in one country and one in another: such a text is
// ambiguous, and never guessed.

export type DecimalMark = ',' | '.';

export type NumberText =
  | { readonly ok: true; readonly value: number }
  /** `readings`: the two numbers that the text could mean, with a decimal point. */
  | { readonly ok: false; readonly why: 'ambiguous'; readonly readings: readonly [string, string] }
  | { readonly ok: false; readonly why: 'unreadable' | 'too long' };

/** A double preserves every number of up to this many digits. */
export const DIGITS_MAX = 15;
const SPACES = /[\u0020\u00a0\u2009\u202f]/g;

/** `1.000,50` with a decimal comma, `1,000.50` with a point, in groups of three by mark, space or apostrophe. */
const FORMS: Readonly<Record<DecimalMark, RegExp>> = {
  '.': /^([+-]?)([1-9]\d{0,2}(?:([, '])\d{3})(?:\3\d{3})*|\d+)(?:\.(\d+))?$/,
  ',': /^([+-]?)([1-9]\d{0,2}(?:([. '])\d{3})(?:\3\d{3})*|\d+)(?:,(\d+))?$/,
};

/** `mark`: the decimal mark. Undefined: only unambiguous texts are numbers. */
export function numberOfText(text: string, mark?: DecimalMark): NumberText {
  const given = text.trim().replace(SPACES, ' ');
  const marks: readonly DecimalMark[] = mark === undefined ? ['.', ','] : [mark];
  const readings = new Set<string>();
  for (const candidate of marks) {
    const [found, sign = '', whole = '', , fraction = ''] = FORMS[candidate].exec(given) ?? [];
    if (found === undefined) continue;
    const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
    // 1.0 and 1 are the same reading.
    const rest = fraction.replace(/0+$/, '');
    readings.add(`${sign === '-' ? '-' : ''}${digits}${rest === '' ? '' : `.${rest}`}`);
  }
  const [reading, other] = readings;
  if (reading === undefined) return { ok: false, why: 'unreadable' };
  if (other !== undefined) return { ok: false, why: 'ambiguous', readings: [reading, other] };
  const value = Number(reading);
  const digits = reading.replace(/\D/g, '').replace(/^0+/, '').length;
  if (digits > DIGITS_MAX && String(value) !== reading) return { ok: false, why: 'too long' };
  return { ok: true, value };
}

/** The number for a spreadsheet with that decimal mark. */
export function textOfNumber(value: number, mark: DecimalMark): string {
  return String(value).replace('.', mark);
}
