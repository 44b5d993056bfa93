// The settings of the operator's console: which service it shows, where it listens, and how its
// operator signs in.

import { type Environment, type ReadFile, readSentAdminKey, valuesIn } from '../settings.js';

export type ConsoleSettings = ReturnType<typeof readConsoleSettings>;

/** Throws a `SettingError` that tells every setting that cannot be used. No message has the key or the hash. */
export function readConsoleSettings(environment: Environment, readFile: ReadFile | undefined) {
  const values = valuesIn(environment, [
    'SERVICE_URL',
    'CONSOLE_HOST',
    'CONSOLE_PORT',
    'CONSOLE_ORIGIN',
    'CONSOLE_PASSWORD_HASH',
    'OPS_HOST',
    'OPS_PORT',
  ]);
  const { OPS_HOST: opsHost, OPS_PORT: opsPort } = values;
  const ops = opsHost.includes(':') ? `[${opsHost}]` : opsHost;
  return Object.freeze({
    /** With `/api/v1`, without a slash at the end. */
    serviceUrl: values.SERVICE_URL,
    adminKey: readSentAdminKey(environment, readFile),
    host: values.CONSOLE_HOST,
    port: values.CONSOLE_PORT,
    /** The https origin that browsers use; undefined if they reach the console on loopback. */
    origin: values.CONSOLE_ORIGIN,
    /** Undefined: each sign-in takes a code that the console prints. */
    passwordHash: values.CONSOLE_PASSWORD_HASH,
    /** The service's operations port; undefined: the pages show none of its facts. */
    opsUrl: opsPort ? `http://${ops}:${opsPort}` : undefined,
  });
}
