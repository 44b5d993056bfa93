// A log that keeps its events in memory, for tests that read them.

import type { Log, LogFields } from '../../src/core/log.js';

export interface KeptLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: LogFields;
}

export interface KeptLog extends Log {
  readonly lines: readonly KeptLine[];
}

export function keptLog(): KeptLog {
  const lines: KeptLine[] = [];
  return {
    lines,
    info: (event, fields = {}) => lines.push({ level: 'info', event, fields }),
    warn: (event, fields = {}) => lines.push({ level: 'warn', event, fields }),
    error: (event, error, fields = {}) =>
      lines.push({ level: 'error', event, fields: { ...fields, error: String(error) } }),
  };
}
