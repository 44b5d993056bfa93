// Numbers, sizes and times as text. English is the one locale that every build of Node has, and
// days are assembled from parts, so that no locale's text is ever parsed.

import type { JsonValue } from '../../core/domain/json.js';

/** Of every time on a page: the contract's zone. */
export const TIME_ZONE = 'Africa/Dar_es_Salaam';

const KIB = 1_024;
const SIZE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const CUT_AT_CHARACTERS = 80;
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

const EXACT = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });
const ROUNDED = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const MOMENT = new Intl.DateTimeFormat('en', {
  timeZone: TIME_ZONE,
  hourCycle: 'h23',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const DATE = new Intl.DateTimeFormat('en', {
  timeZone: TIME_ZONE,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** With thousands separated and every digit of the fraction. */
export function numberText(value: number): string {
  return EXACT.format(value);
}

/** Three significant digits. */
export function roundedText(value: number): string {
  return ROUNDED.format(value);
}

export function bytesText(value: number | null): string {
  if (value === null) return '–';
  const step = value < 1 ? 0 : Math.floor(Math.log(value) / Math.log(KIB));
  const unit = Math.min(step, SIZE_UNITS.length - 1);
  return `${ROUNDED.format(value / KIB ** unit)} ${SIZE_UNITS[unit]}`;
}

/** `31 Dec 2026, 23:59`, of milliseconds since 1970 or an RFC 3339 text. Other texts stay. */
export function timeText(value: number | string): string {
  const parts = partsOf(MOMENT, value);
  if (parts === undefined) return String(value);
  return `${parts.get('day')} ${parts.get('month')} ${parts.get('year')}, ${hourAndMinute(parts)}`;
}

/** `23:59`, of milliseconds since 1970. */
export function clockText(value: number): string {
  return hourAndMinute(partsOf(MOMENT, value) ?? new Map());
}

/** `2026-12-31`, of an RFC 3339 text; empty for another text. */
export function dayOf(timestamp: string): string {
  const parts = partsOf(DATE, timestamp);
  return parts ? `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}` : '';
}

/** Such as `3 h 5 min ago`. In milliseconds since 1970. */
export function ageText(since: number): string {
  const seconds = Math.max(0, Math.floor((Date.now() - since) / 1000));
  const minutes = Math.floor(seconds / MINUTE_S);
  const hours = Math.floor(seconds / HOUR_S);
  if (seconds < MINUTE_S) return `${seconds} s ago`;
  if (seconds < HOUR_S) return `${minutes} min ago`;
  if (seconds < DAY_S) return `${hours} h ${minutes % 60} min ago`;
  return `${Math.floor(seconds / DAY_S)} d ${hours % 24} h ago`;
}

/** A value for a list's cell: a text as it is, anything else as JSON, cut if it is long. */
export function shortText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Never splits a surrogate pair. */
export function cut(text: string, maxCharacters = CUT_AT_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** `1 record`, `2,098 records`. */
export function counted(count: number, one: string): string {
  return `${numberText(count)} ${count === 1 ? one : `${one}s`}`;
}

type Parts = ReadonlyMap<string, string>;

function partsOf(format: Intl.DateTimeFormat, value: number | string): Parts | undefined {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return undefined;
  return new Map(format.formatToParts(at).map((part) => [part.type, part.value]));
}

function hourAndMinute(parts: Parts): string {
  return `${parts.get('hour')}:${parts.get('minute')}`;
}
