// The service's address and the key. They come from the environment, never from a flag:
// every user of a machine can read the flags of a running program.

import { readFileSync } from 'node:fs';
import { UsageError } from '../program/ending.js';
import type { CommandDependencies } from './command-dependencies.js';
import { systemCodeOf } from './failures.js';

const DEFAULT_URL = 'http://127.0.0.1:8080/api/v1';

export interface Target {
  /** Includes `/api/v1`. */
  readonly baseUrl: string;
  readonly adminKey: string;
}

/** Throws a `UsageError` that names the setting. The key is in no message. */
export function readTarget({ environment }: Pick<CommandDependencies, 'environment'>): Target {
  const baseUrl = plainUrl('SERVICE_URL', environment['SERVICE_URL'] || DEFAULT_URL, DEFAULT_URL);
  return { baseUrl, adminKey: readAdminKey(environment) };
}

/** Throws a `UsageError` that names the setting, and never holds the key. */
export function readAdminKey(environment: CommandDependencies['environment']): string {
  const [key, file] = [environment['ADMIN_API_KEY'], environment['ADMIN_API_KEY_FILE']];
  if (key && file) {
    throw new UsageError('ADMIN_API_KEY and ADMIN_API_KEY_FILE are both set; set one of them');
  }
  if (file) return usable(firstLine(file), `the first line of ADMIN_API_KEY_FILE, ${file},`);
  if (key) return usable(key, 'ADMIN_API_KEY');
  throw new UsageError(
    "neither ADMIN_API_KEY nor ADMIN_API_KEY_FILE is set; set one to the service's admin key",
  );
}

/** Returns the address without a slash at its end. Throws a `UsageError` that names the setting or option. */
export function plainUrl(name: string, text: string, example: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable =
    (url?.protocol === 'http:' || url?.protocol === 'https:') &&
    url.username + url.password + url.search + url.hash === '';
  if (url === undefined || !isUsable) {
    throw new UsageError(
      `${name} is no plain http or https address; it must be one such as ${example}, without user, password or query`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** A file may hold two keys during a rotation; the first one is the newer. */
function firstLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[0]?.trim() ?? '';
  } catch (error) {
    throw new UsageError(
      `ADMIN_API_KEY_FILE names ${file}, which cannot be read (${systemCodeOf(error)}); name a file with the key in its first line`,
    );
  }
}

function usable(key: string, name: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(key)) return key;
  throw new UsageError(
    `${name} holds no key that can be sent (hidden); it must be printable ASCII`,
  );
}
