// Numbers as people write them in spreadsheets. `1.000` is a thousand in one country and
// one in another. Such a value is refused, unless the operator says which is meant.

export type DecimalMark = ',' | '.';

export type NumberText =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly problem: string };

/** A double keeps every number of up to this many digits. */
const DIGITS_MAX = 15;
const SPACES = /[\u0020\u00a0\u2009\u202f]/g;

/** `1.000,50` with a decimal comma, `1,000.50` with a point, groups of three by mark, space or apostrophe. */
const FORMS: Readonly<Record<DecimalMark, RegExp>> = {
  '.': /^([+-]?)([1-9]\d{0,2}(?:([, '])\d{3})(?:\3\d{3})*|\d+)(?:\.(\d+))?$/,
  ',': /^([+-]?)([1-9]\d{0,2}(?:([. '])\d{3})(?:\3\d{3})*|\d+)(?:,(\d+))?$/,
};

/** `mark`: the decimal mark. Undefined: only texts with a single reading are numbers. */
export function numberOfText(text: string, mark: DecimalMark | undefined): NumberText {
  const given = text.trim().replace(SPACES, ' ');
  const marks: readonly DecimalMark[] = mark === undefined ? ['.', ','] : [mark];
  const readings = new Set<string>();
  for (const candidate of marks) {
    const reading = readAs(given, candidate);
    if (reading !== undefined) readings.add(reading);
  }
  const [reading, other] = readings;
  if (reading === undefined) {
    const wanted = mark === undefined ? 'digits' : `digits with "${mark}" before the fraction`;
    return { ok: false, problem: `is no number; it must be ${wanted}, without currency` };
  }
  if (other !== undefined) {
    return {
      ok: false,
      problem: `could be ${reading} or ${other}; pass --decimal , or --decimal .`,
    };
  }
  if (reading.replace(/\D/g, '').replace(/^0+/, '').length > DIGITS_MAX) {
    return { ok: false, problem: `has more than ${DIGITS_MAX} digits; no number keeps so many` };
  }
  return { ok: true, value: Number(reading) };
}

/** The number as programs write it; undefined if the text is no such number. */
function readAs(text: string, mark: DecimalMark): string | undefined {
  const found = FORMS[mark].exec(text);
  if (found === null) return undefined;
  const [, sign = '', whole = '', , fraction] = found;
  const number = `${sign === '-' ? '-' : ''}${whole.replace(/\D/g, '')}${fraction === undefined ? '' : `.${fraction}`}`;
  // 1.0 and 1 are the same reading.
  return String(Number(number)) === 'NaN' ? undefined : normalized(number);
}

function normalized(number: string): string {
  const [whole = '', fraction = ''] = number.split('.');
  const short = fraction.replace(/0+$/, '');
  return short === '' ? whole : `${whole}.${short}`;
}
