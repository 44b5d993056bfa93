// The settings of what stands beside the API: the operations port, the request
// log, and how long a stop goes on accepting.

import {
  type Environment,
  isLoopback,
  quoted,
  read,
  SettingError,
  wholeNumber,
} from './setting-values.js';

export interface OperationsSettings {
  /** Undefined: no operations port. */
  readonly port: OperationsPort | undefined;
  /** Undefined: no request log. */
  readonly requestLog: RequestLogSettings | undefined;
  /** How long a stop goes on accepting after `/ready` says `stopping`. */
  readonly readyStopDelayMs: number;
}

export interface OperationsPort {
  /** An address of this machine alone or of a private network. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

export interface RequestLogSettings {
  /** Which requests get a line. */
  readonly choice: 'slow' | 'all';
  /** From how long on a request is slow, in milliseconds. */
  readonly slowMs: number;
}

const SLOW_REQUEST_MAX_MS = 600_000;
/** systemd and container platforms kill after 30 to 90 s. */
const READY_STOP_DELAY_MAX_MS = 60_000;

/** Throws a `SettingError` for the first setting that cannot be used. */
export function readOperationsSettings(environment: Environment): OperationsSettings {
  const port = read(environment, 'OPS_PORT', wholeNumber(0, 65_535), undefined);
  const host = read(environment, 'OPS_HOST', privateAddress, '127.0.0.1');
  const choice = read(environment, 'REQUEST_LOG', requestLogChoice, 'off');
  const slowMs = read(environment, 'SLOW_REQUEST_MS', wholeNumber(0, SLOW_REQUEST_MAX_MS), 500);
  const delay = wholeNumber(0, READY_STOP_DELAY_MAX_MS);
  return Object.freeze({
    port: port === undefined ? undefined : { host, port },
    requestLog: choice === 'off' ? undefined : { choice, slowMs },
    readyStopDelayMs: read(environment, 'READY_STOP_DELAY_MS', delay, 0),
  });
}

function requestLogChoice(name: string, text: string): RequestLogSettings['choice'] | 'off' {
  if (text === 'off' || text === 'slow' || text === 'all') return text;
  throw new SettingError(name, quoted(text), 'off, slow or all');
}

function privateAddress(name: string, text: string): string {
  if (isLoopback(text) || isPrivate(text)) return text;
  const wanted =
    'a loopback or private address such as 127.0.0.1 or 10.0.0.5: the operations port asks for no key';
  throw new SettingError(name, quoted(text), wanted);
}

/** RFC 1918, RFC 6598 (shared), RFC 3927 (link-local), RFC 4193 (unique local), fe80::/10. */
function isPrivate(address: string): boolean {
  if (/^f[cd][0-9a-f]{2}:[0-9a-f:]*$/i.test(address)) return true;
  if (/^fe[89ab][0-9a-f]:[0-9a-f:]*(?:%\w+)?$/i.test(address)) return true;
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return false;
  const [first = 0, second = 0] = parts;
  if (first === 10) return true;
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 100) return second >= 64 && second <= 127;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}
