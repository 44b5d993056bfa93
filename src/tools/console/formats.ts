// Numbers, sizes and times as text. English is the one locale that every build of Node has, and
// days are assembled from parts, so that no locale's text is ever parsed.

import type { JsonValue } from '../../core/domain/json.js';

const KIB = 1_024;
const SIZE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const CUT_AT_CHARACTERS = 80;
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

export type Formats = ReturnType<typeof formatsFor>;

/** `timeZone`: an IANA name. */
export function formatsFor(timeZone: string) {
  const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });
  const rounded = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
  const moment = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
  const date = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const partsOf = (format: Intl.DateTimeFormat, value: number | string) => {
    const at = new Date(value);
    if (Number.isNaN(at.getTime())) return undefined;
    return new Map(format.formatToParts(at).map((part) => [part.type, part.value]));
  };
  const clock = (parts: ReturnType<typeof partsOf>) =>
    `${parts?.get('hour')}:${parts?.get('minute')}`;
  const duration = (seconds: number) => {
    if (seconds < MINUTE_S) return `${Math.max(0, Math.floor(seconds))} s`;
    const minutes = Math.floor(seconds / MINUTE_S);
    if (seconds < HOUR_S) return `${minutes} min`;
    const hours = Math.floor(seconds / HOUR_S);
    if (seconds < DAY_S) return `${hours} h ${minutes % 60} min`;
    return `${Math.floor(seconds / DAY_S)} d ${hours % 24} h`;
  };
  return {
    timeZone,
    /** With thousands separated and every digit of the fraction. */
    number: (value: number) => exact.format(value),
    /** Three significant digits. */
    rounded: (value: number) => rounded.format(value),
    bytes(value: number | null): string {
      if (value === null) return '–';
      const step = value < 1 ? 0 : Math.floor(Math.log(value) / Math.log(KIB));
      const unit = Math.min(step, SIZE_UNITS.length - 1);
      return `${rounded.format(value / KIB ** unit)} ${SIZE_UNITS[unit]}`;
    },
    /** `31 Dec 2026, 23:59`, of milliseconds since 1970 or an RFC 3339 text. Other texts stay. */
    time(value: number | string): string {
      const parts = partsOf(moment, value);
      if (parts === undefined) return String(value);
      return `${parts.get('day')} ${parts.get('month')} ${parts.get('year')}, ${clock(parts)}`;
    },
    /** `2026-12-31`, of an RFC 3339 text; empty for another text. */
    day(timestamp: string): string {
      const parts = partsOf(date, timestamp);
      return parts ? `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}` : '';
    },
    /** `23:59`, of milliseconds since 1970. */
    clock: (value: number) => clock(partsOf(moment, value)),
    /** Such as `3 h 5 min ago`. Both in milliseconds since 1970. */
    age: (since: number, now: number) => `${duration((now - since) / 1000)} ago`,
  };
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

/** `1 record`, `2,098 records`. `count`: as it is shown. */
export function counted(count: string, one: string): string {
  return `${count} ${count === '1' ? one : `${one}s`}`;
}
