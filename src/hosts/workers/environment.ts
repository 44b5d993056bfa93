// The Worker's bindings (the object's namespace and the settings), and its log.

import type { DurableObjectNamespace } from '@cloudflare/workers-types';
import { errorText, type Log, type LogFields } from '../../core/log.js';
import { SettingError } from '../settings/setting-error.js';
import { SETTING_NAMES } from '../settings/warnings.js';
import type { Environment } from '../settings.js';

export interface WorkerEnvironment {
  readonly SERVICE: DurableObjectNamespace;
  /** `on`: the service is read-only, and serves and accepts dumps. */
  readonly MAINTENANCE?: unknown;
}

/** The only object of a deployment. A new stub for each call, because a stub stays broken once its object is lost. */
export const serviceStub = ({ SERVICE }: WorkerEnvironment) => SERVICE.getByName('service');

/**
 * Variables and secrets, with the names of the settings on Node. wrangler.toml also allows numbers and
 * booleans, which are read as text, and lists and tables, which throw a `SettingError`, because an
 * invalid setting must not count as unset.
 */
export function environmentOf(env: WorkerEnvironment): Environment {
  const problems: string[] = [];
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (['string', 'number', 'boolean'].includes(typeof value)) texts[name] = String(value);
    else if ([...SETTING_NAMES, 'MAINTENANCE'].includes(name)) {
      problems.push(`${name} is a list or a table; it must be a text`);
    }
  }
  if (!['', 'on', 'off'].includes(texts['MAINTENANCE'] ?? '')) {
    problems.push(`MAINTENANCE is ${JSON.stringify(texts['MAINTENANCE'])}; it must be on or off`);
  }
  if (problems.length > 0) throw new SettingError(...problems);
  return texts;
}

/** Prints one JSON line for each event to the console, which the platform collects. */
export const log: Log = {
  info: (event, fields) => write('info', event, fields),
  warn: (event, fields) => write('warn', event, fields),
  error: (event, error, fields) => write('error', event, { ...fields, error: errorText(error) }),
};

function write(level: 'info' | 'warn' | 'error', event: string, fields?: LogFields): void {
  const time = new Date().toISOString();
  // biome-ignore lint/suspicious/noConsole: a Worker has no other output
  console[level](JSON.stringify({ time, level, event, ...fields }));
}
