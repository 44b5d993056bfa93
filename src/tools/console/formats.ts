// Formats numbers, sizes and times. In English, the only locale that every build of Node has.

import { HOUR_MS } from '../../core/domain/hour.js';
import type { JsonValue } from '../../core/domain/json.js';
import { truncate } from '../data/errors.js';

/** The zone of every time on a page: the contract's, which has no daylight saving time. */
export const TIME_ZONE = 'Africa/Dar_es_Salaam';
const OFFSET_MS = 3 * HOUR_MS;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const SIZE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Separates thousands, and keeps every digit of the fraction. */
export const numberText = new Intl.NumberFormat('en', { maximumFractionDigits: 20 }).format;

/** Three significant digits. */
export const roundedText = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format;

export function bytesText(value: number | null): string {
  if (value === null) return '–';
  const unit = Math.min(Math.floor(Math.log2(Math.max(value, 1)) / 10), SIZE_UNITS.length - 1);
  return `${roundedText(value / 1_024 ** unit)} ${SIZE_UNITS[unit]}`;
}

/** `31 Dec 2026, 23:59` for an RFC 3339 text; other texts unchanged. */
export function timeText(timestamp: string): string {
  const [year, month, day] = dayOf(timestamp).split('-').map(Number);
  if (!year) return timestamp;
  return `${day} ${MONTHS[Number(month) - 1]} ${year}, ${clockText(timestamp)}`;
}

/** `23:59` for an RFC 3339 text. */
export function clockText(timestamp: string): string {
  return localText(timestamp).slice(11, 16);
}

/** `2026-12-31` for an RFC 3339 text; empty for another text. */
export function dayOf(timestamp: string): string {
  return localText(timestamp).slice(0, 10);
}

function localText(timestamp: string): string {
  const at = new Date(Date.parse(timestamp) + OFFSET_MS);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

/** `3 h ago` for an RFC 3339 text. */
export function ageText(since: string): string {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(since)) / 60_000));
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}

/** A value for a cell of a list: a text as it is, anything else as JSON; truncated. */
export function shortText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return truncate(typeof value === 'string' ? value : JSON.stringify(value));
}

/** `1 record`, `2,098 records`. */
export function counted(count: number, one: string): string {
  return `${numberText(count)} ${count === 1 ? one : `${one}s`}`;
}
