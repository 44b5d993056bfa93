// The service's address and the key. They come from the environment, never from a flag:
// any user of a machine can read the flags of a running program.

import { readFileSync } from 'node:fs';
import { readSentAdminKey } from '../../hosts/settings.js';
import type { CommandDependencies } from '../program/command-dependencies.js';
import { UsageError } from '../program/ending.js';

const DEFAULT_URL = 'http://127.0.0.1:8080/api/v1';

export interface Target {
  /** Includes `/api/v1`. */
  readonly baseUrl: string;
  readonly adminKey: string;
}

/** Throws a usage error that names the setting. The key is in no message. */
export function readTarget({ environment }: Pick<CommandDependencies, 'environment'>): Target {
  const baseUrl = plainUrl('SERVICE_URL', environment['SERVICE_URL'] || DEFAULT_URL, DEFAULT_URL);
  return { baseUrl, adminKey: adminKeyIn(environment) };
}

/** Throws a usage error that names the setting, and never holds the key. */
export function adminKeyIn(environment: CommandDependencies['environment']): string {
  return readSentAdminKey(environment, (path) => readFileSync(path, 'utf8'));
}

/** Returns the address without a slash at its end. Throws a `UsageError` that names the setting or option. */
export function plainUrl(name: string, text: string, example: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable =
    (url?.protocol === 'http:' || url?.protocol === 'https:') &&
    url.username + url.password + url.search + url.hash === '';
  if (url === undefined || !isUsable) {
    throw new UsageError(
      `${name} is not a plain http or https address; it must be one such as ${example}, without user, password or query`,
    );
  }
  return url.href.replace(/\/+$/, '');
}
