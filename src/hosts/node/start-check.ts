// The warnings before a start, and `--check`, which says what a start would find and starts
// nothing.

import { readFileSync, statSync } from 'node:fs';
import type { Log } from '../../core/log.js';
import { environmentWarnings } from '../settings/warnings.js';
import { type Environment, readSettings, type Settings } from '../settings.js';
import { type Look, looksAt } from './start-looks.js';

const OTHERS_READ = 0o044;
const PERMISSIONS = 0o777;

/** The settings of this process. A setting that names a file is read from it. Throws a `SettingError`. */
export function settingsOf(environment: Environment): Settings {
  return readSettings(environment, (path) => readFileSync(path, 'utf8'));
}

/** Logs the warnings about the environment. */
export function warnOfEnvironment(environment: Environment, log: Log): void {
  for (const { event, hint } of environmentWarnings(environment)) log.warn(event, { hint });
}

/** Warns of a database file that others than its owner may read. */
export function warnOfFile(path: string, log: Log): void {
  const mode = modeOf(path);
  if (mode === undefined || (mode & OTHERS_READ) === 0) return;
  log.warn('database_readable_by_others', {
    file: path,
    mode: mode.toString(8).padStart(4, '0'),
    hint: 'other users of this machine may read every record; chmod 600 the file',
  });
}

export interface CheckOptions {
  readonly log: Log;
  /** Whether the identity provider is asked. */
  readonly online: boolean;
}

/**
 * Looks at everything that a start needs, and starts nothing. A line for each look says
 * what was found. Resolves with whether a start would succeed and would be what is meant.
 */
export async function checkStart(
  environment: Environment,
  { log, online }: CheckOptions,
): Promise<boolean> {
  const failures: string[] = [];
  const fail = (what: string, error: unknown) => {
    const sentence = error instanceof Error ? error.message : String(error);
    failures.push(sentence);
    log.error('checked', sentence, { what, result: 'failed' });
  };
  let looks: Look[] = [];
  try {
    const settings = settingsOf(environment);
    looks = looksAt(environment, settings, online);
    if (settings.postgresUrl === undefined) warnOfFile(settings.databasePath, log);
  } catch (error) {
    fail('settings', error);
  }
  for (const { what, look } of looks) {
    try {
      const { found, warnings = [] } = await look();
      for (const { event, hint } of warnings) log.warn(event, { hint });
      log.info('checked', { what, result: warnings.length > 0 ? 'warning' : 'ok', found });
    } catch (error) {
      fail(what, error);
    }
  }
  if (failures.length > 0) log.error('check_failed', failures.join('; also '));
  else log.info('check_passed', { looks: looks.length });
  return failures.length === 0;
}

/** Undefined if the file is missing. */
function modeOf(path: string): number | undefined {
  // Windows has no such permissions, and says of each file that all may read it.
  if (process.platform === 'win32') return undefined;
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & PERMISSIONS || undefined;
}
