// The settings of what stands beside the API: the operations port, the request
// log, and how long a stop goes on accepting.

import {
  type Environment,
  isLoopback,
  isPrivate,
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
