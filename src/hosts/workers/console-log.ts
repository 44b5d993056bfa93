// The log on Workers: one JSON line for each event on the console, which the
// platform collects.

import { errorText, type Log, type LogFields } from '../../core/log.js';

type Level = 'info' | 'warn' | 'error';

export function consoleLog(): Log {
  return {
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, error, fields) => write('error', event, { ...fields, error: errorText(error) }),
  };
}

function write(level: Level, event: string, fields: LogFields = {}): void {
  const time = new Date().toISOString();
  // biome-ignore lint/suspicious/noConsole: a Worker has no other output
  console[level](JSON.stringify({ time, level, event, ...fields }));
}
