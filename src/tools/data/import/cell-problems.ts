// What the import says of a cell that it does not take.

import { type DecimalMark, DIGITS_MAX, type NumberText } from '../number-text.js';

/** The properties that hold a telephone number. */
const PHONE = 'phone';
/** `7,54E+08`: a spreadsheet took the number for a quantity, and most of its digits are lost. */
const RUINED = /^[+-]?\d(?:[.,]\d+)?E\+?\d{1,2}$/i;

export function numberProblem(
  refused: Extract<NumberText, { ok: false }>,
  mark: DecimalMark | undefined,
): string {
  switch (refused.why) {
    case 'ambiguous':
      return `the value could be ${refused.readings.join(' or ')}; pass --decimal , or --decimal .`;
    case 'too long':
      return `the value has more than ${DIGITS_MAX} digits; no number keeps so many`;
    case 'unreadable': {
      const wanted = mark === undefined ? 'digits' : `digits with "${mark}" before the fraction`;
      return `the value is no number; it must be ${wanted}, without currency`;
    }
  }
}

/** Undefined: the text is kept as it is. */
export function textProblem(property: string, value: string): string | undefined {
  if (value.includes('\0')) {
    return 'the value has a NUL character; the file is damaged, or it is UTF-16: pass --encoding';
  }
  if (property === PHONE && RUINED.test(value.trim())) {
    return 'a spreadsheet has rounded this telephone number; write it in full, in a column whose format is text';
  }
  return undefined;
}
