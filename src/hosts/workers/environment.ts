// The platform's bindings: the namespace of the one object, the settings, and a console.

import type { DurableObjectNamespace } from '@cloudflare/workers-types';
import { errorText, type Log, type LogFields } from '../../core/log.js';
import { SettingError } from '../settings/setting-error.js';
import { SETTING_NAMES } from '../settings/warnings.js';
import type { Environment } from '../settings.js';

export interface WorkerEnvironment {
  readonly SERVICE: DurableObjectNamespace;
  /** `on`: the object is read-only, and gives and takes whole dumps. */
  readonly MAINTENANCE?: unknown;
}

/** The one object of a deployment. A new stub for each call, because a stub stays broken if its object was lost. */
export const serviceStub = ({ SERVICE }: WorkerEnvironment) => SERVICE.getByName('service');

/**
 * Variables and secrets, with the names of the settings on Node. wrangler.toml also allows numbers and
 * booleans, which are read as text, and lists and tables: these throw a `SettingError`, because
 * a setting that is there and wrong must not count as unset.
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

/** One JSON line for each event on the console, which the platform collects. */
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
