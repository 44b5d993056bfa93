// The console's log: one JSON line for each event. Standard output has what a person waits
// for, the address and the code.

import { errorText, type Log } from '../../core/log.js';

export function logTo(write: (line: string) => void): Log {
  const add = (level: string, event: string, fields: object = {}) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`);
  return {
    info: (event, fields) => add('info', event, fields),
    warn: (event, fields) => add('warn', event, fields),
    error: (event, error, fields) => add('error', event, { ...fields, error: errorText(error) }),
  };
}
