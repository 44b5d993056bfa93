// What an operator typed into a field, and what it means. Pure.

import type { JsonValue } from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';
import { numberOfText } from '../data/number-text.js';

export type TypedValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string };

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

/** An empty text is null: a change can set a property to null, and not remove it. */
export function typedValue({ kind }: Property, text: string): TypedValue {
  if (text === '') return understood(null);
  if (kind === 'number' || kind === 'money') return typedNumber(text);
  if (kind === 'flag') return understood(text === 'true');
  if (kind !== 'moment' || isDate(text)) return understood(text);
  return refused(`“${text}” is not a date; write 2026-12-31 or 2026-12-31T09:30:00Z.`);
}

/** The console shows `62,500`, so a comma before three digits groups them; `62.500` stays ambiguous. */
function typedNumber(text: string): TypedValue {
  const hasCommasOnly = /^[^.]*,\d{3}$/.test(text.trim());
  const number = numberOfText(text, hasCommasOnly ? '.' : undefined);
  if (number.ok) return understood(number.value);
  switch (number.why) {
    case 'ambiguous': {
      const readings = number.readings.join(' or ');
      return refused(`“${text}” could be ${readings}; write ${readings}.`);
    }
    case 'too long':
      return refused(`“${text}” has more digits than a number keeps; write fewer.`);
    case 'unreadable':
      return refused(`“${text}” is not a number; write digits such as 45000, without currency.`);
  }
}

function understood(value: JsonValue): TypedValue {
  return { ok: true, value };
}

function refused(problem: string): TypedValue {
  return { ok: false, problem };
}

/** ISO 8601: a day of the calendar, or a moment of one. */
function isDate(text: string): boolean {
  const [, day, hour = '0', minute = '0', second = '0'] = MOMENT.exec(text) ?? [];
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return false;
  const [, year, month, date] = DAY.exec(day ?? text) ?? [];
  if (year === undefined) return false;
  const found = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  return found.getUTCMonth() === Number(month) - 1 && found.getUTCDate() === Number(date);
}
