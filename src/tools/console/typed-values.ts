// What an operator typed into a field, and what is understood by it. Pure.

import type { JsonValue } from '../../core/domain/json.js';
import { numberOfText } from '../data/number-text.js';
import type { Formats } from './formats.js';
import { labelOf, type Property } from './properties.js';

export type TypedValue =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** The operator is asked before it is sent. */
      readonly question?: string | undefined;
    }
  | { readonly ok: false; readonly problem: string };

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;
/** Digits alone can be understood in one way only. */
const DIGITS = /^-?\d+$/;

export function typedValue(property: Property, text: string, formats: Formats): TypedValue {
  switch (property.kind) {
    case 'number':
      return typedNumber(property, text, formats);
    case 'flag':
      return { ok: true, value: text === 'true' };
    case 'date':
      return { ok: true, value: text, question: dateQuestion(property, text) };
    case 'text':
      return { ok: true, value: text };
  }
}

/** Undefined: the text is a date, or none at all. The service takes any text, so it is only asked. */
export function dateQuestion({ kind, name }: Property, text: string): string | undefined {
  if (kind !== 'date' || text === '' || isDate(text)) return undefined;
  return `${labelOf(name)}: “${text}” is not a date as programs read it, such as 2026-12-31 or 2026-12-31T09:30:00Z. Keep it as it is?`;
}

function typedNumber({ name, isRequired }: Property, text: string, formats: Formats): TypedValue {
  // The service refuses it, with its own sentence.
  if (text === '' && isRequired) return { ok: true, value: null };
  const number = numberOfText(text);
  if (number.ok) {
    const { value } = number;
    if (DIGITS.test(text.trim())) return { ok: true, value };
    const question = `${labelOf(name)}: “${text}” is understood as ${formats.exact(value)}. Is that right?`;
    return { ok: true, value, question };
  }
  switch (number.why) {
    case 'ambiguous': {
      const [one, other] = number.readings;
      return refused(`“${text}” could be ${one} or ${other}; write ${one} or ${other}.`);
    }
    case 'too long':
      return refused(`“${text}” has more digits than a number keeps; write fewer.`);
    case 'unreadable':
      return refused(`“${text}” is not a number; write digits such as 45000, without currency.`);
  }
}

function refused(problem: string): TypedValue {
  return { ok: false, problem };
}

/** ISO 8601: a day of the calendar, or a moment of one. */
export function isDate(text: string): boolean {
  const [, day, hour = '0', minute = '0', second = '0'] = MOMENT.exec(text) ?? [];
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return false;
  const [, year, month, date] = DAY.exec(day ?? text) ?? [];
  if (year === undefined) return false;
  const found = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  return found.getUTCMonth() === Number(month) - 1 && found.getUTCDate() === Number(date);
}
