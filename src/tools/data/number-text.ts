// Numbers as people write them and spreadsheets read them: the rule that import, export and
// console share. `1.000` is a thousand in one country and one in another: such a text is
// ambiguous, and never guessed.

export type DecimalMark = ',' | '.';

export type NumberText =
  | {
      readonly ok: true;
      readonly value: number;
      /** Digits after the decimal mark, including trailing zeros. */
      readonly decimals: number;
    }
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
  const readings = new Map<string, number>();
  for (const candidate of marks) {
    const [found, sign = '', whole = '', , fraction = ''] = FORMS[candidate].exec(given) ?? [];
    if (found === undefined) continue;
    const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
    // 1.0 and 1 are the same reading.
    const rest = fraction.replace(/0+$/, '');
    const reading = `${sign === '-' ? '-' : ''}${digits}${rest === '' ? '' : `.${rest}`}`;
    readings.set(reading, fraction.length);
  }
  const [first, other] = readings;
  if (first === undefined) return { ok: false, why: 'unreadable' };
  const [reading, decimals] = first;
  if (other !== undefined) return { ok: false, why: 'ambiguous', readings: [reading, other[0]] };
  const value = Number(reading);
  const digits = reading.replace(/\D/g, '').replace(/^0+/, '').length;
  if (digits > DIGITS_MAX && String(value) !== reading) return { ok: false, why: 'too long' };
  return { ok: true, value, decimals };
}

/**
 * The number for a spreadsheet with that decimal mark, made unambiguous: `1.234` is
 * written `1,2340`, because three decimals could be thousands.
 */
export function textOfNumber(value: number, mark: DecimalMark): string {
  const plain = String(value);
  return (/\.\d{3}$/.test(plain) ? `${plain}0` : plain).replace('.', mark);
}
