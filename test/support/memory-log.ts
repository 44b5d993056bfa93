// A log in memory, for tests that read its events.

import type { Log, LogFields } from '../../src/core/log.js';

export type MemoryLog = ReturnType<typeof memoryLog>;

export function memoryLog() {
  const lines: { level: string; event: string; fields: LogFields }[] = [];
  const log: Log = {
    info: (event, fields = {}) => lines.push({ level: 'info', event, fields }),
    warn: (event, fields = {}) => lines.push({ level: 'warn', event, fields }),
    error: (event, error, fields = {}) =>
      lines.push({ level: 'error', event, fields: { ...fields, error: String(error) } }),
  };
  return { ...log, lines };
}
