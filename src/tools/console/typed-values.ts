// What an operator typed into a field, and what it means. Pure.

import type { JsonValue } from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';
import { numberOfText } from '../data/number-text.js';

export type TypedValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string };

const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

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

/** A day of the calendar, or a moment of one. */
function isDate(text: string): boolean {
  if (!ISO_8601.test(text) || Number.isNaN(Date.parse(text))) return false;
  const day = text.slice(0, 10);
  return new Date(day).toISOString().startsWith(day);
}
