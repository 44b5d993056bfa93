// The log on Node: one JSON line for each event; errors and warnings go to standard error.

import { errorText, type Log, type LogFields } from '../../core/log.js';

type Level = 'info' | 'warn' | 'error';

export function jsonLog(): Log {
  // Without this listener, a closed pipe or a full disk would end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return {
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, error, fields) => write('error', event, { ...fields, error: errorText(error) }),
  };
}

function write(level: Level, event: string, fields: LogFields = {}): void {
  const stream = level === 'info' ? process.stdout : process.stderr;
  const time = new Date().toISOString();
  stream.write(`${JSON.stringify({ time, level, event, ...fields })}\n`);
}
