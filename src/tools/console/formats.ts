// Numbers, sizes, times and names as a reader in Tanzania expects them.

import type { JsonValue } from '../../core/domain/json.js';

const KIB = 1_024;
const SIZE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const SHORT_MAX_CHARACTERS = 80;
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

export interface Formats {
  /** Of every time: an IANA name. */
  readonly timeZone: string;
  number(value: number): string;
  /** Without decimals, unless the amount has some. */
  amount(value: number): string;
  /** With every digit of the fraction. */
  exact(value: number): string;
  /** Three digits that count. */
  decimal(value: number): string;
  bytes(value: number): string;
  /** Day and time of milliseconds since 1970, or of an RFC 3339 text; a text that is no time stays. */
  time(value: number | string): string;
  /** The day of an RFC 3339 text, such as `2026-12-31`. */
  day(timestamp: string): string;
  /** The time alone. */
  clock(value: number): string;
  /** Such as `3 h 5 min`. */
  duration(seconds: number): string;
}

/** `locale`: `en-TZ` or `sw-TZ`. */
export function formatsFor(locale: string, timeZone: string): Formats {
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const amount = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const exact = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 });
  const size = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
  const time = new Intl.DateTimeFormat(locale, {
    timeZone,
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
  });
  // Swedish writes days as ISO 8601 does.
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  const clock = new Intl.DateTimeFormat(locale, {
    timeZone,
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  return {
    timeZone,
    number: (value) => whole.format(value),
    amount: (value) => amount.format(value),
    exact: (value) => exact.format(value),
    decimal: (value) => size.format(value),
    bytes(value) {
      const step = value < 1 ? 0 : Math.floor(Math.log(value) / Math.log(KIB));
      const unit = Math.min(step, SIZE_UNITS.length - 1);
      return `${size.format(value / KIB ** unit)} ${SIZE_UNITS[unit]}`;
    },
    time(value) {
      const moment = new Date(value);
      return Number.isNaN(moment.getTime()) ? String(value) : time.format(moment);
    },
    day(timestamp) {
      const moment = new Date(timestamp);
      return Number.isNaN(moment.getTime()) ? '' : day.format(moment);
    },
    clock: (value) => clock.format(value),
    duration(seconds) {
      if (seconds < MINUTE_S) return `${Math.floor(seconds)} s`;
      if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`;
      if (seconds < DAY_S) {
        return `${Math.floor(seconds / HOUR_S)} h ${Math.floor((seconds % HOUR_S) / MINUTE_S)} min`;
      }
      return `${Math.floor(seconds / DAY_S)} d ${Math.floor((seconds % DAY_S) / HOUR_S)} h`;
    },
  };
}

/** A value for a list's cell: texts as they are, everything else as JSON, cut where it is long. */
export function shortText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Never cuts a character of two halves in two. */
export function cut(text: string, maxCharacters = SHORT_MAX_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  const end = text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '');
  return `${end}…`;
}
