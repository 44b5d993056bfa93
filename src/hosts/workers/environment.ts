// The bindings of wrangler.toml: the namespaces of the objects, and the settings.

import type { DurableObjectNamespace } from '@cloudflare/workers-types';
import { type AccountLimitSettings, type Environment, valuesIn } from '../settings.js';
import type { AccountStub, DirectoryStub } from './account-call.js';
import { consoleLog } from './console-log.js';

export interface WorkerEnvironment {
  readonly ACCOUNTS: DurableObjectNamespace;
  readonly DIRECTORY: DurableObjectNamespace;
}

/** The one directory of a deployment. */
const DIRECTORY_NAME = 'directory';
/** An isolate has 128 MB, and holds the records' texts about twice. */
const ACCOUNT_MAX_BYTES = 48_000_000;

/** The settings that every object of an account has. */
export interface AccountSettings {
  readonly limits: AccountLimitSettings;
  /** The account of the sample records gets them at the first request for it. */
  readonly seedsSamples: boolean;
}

/**
 * An invalid setting is replaced by its default here; the gateway then refuses every request,
 * and its log names the setting.
 */
export const accountSettings = once((env: WorkerEnvironment): AccountSettings => {
  try {
    return readAccountSettings(settingsIn(env));
  } catch (error) {
    consoleLog().error('setting_unusable', error);
    return readAccountSettings({});
  }
});

function readAccountSettings(environment: Environment): AccountSettings {
  const names = ['ACCOUNT_MAX_BYTES', 'ACCOUNT_MAX_RECORDS', 'SAMPLE_RECORDS'] as const;
  const values = valuesIn(environment, names);
  return {
    limits: {
      maxBytes: values.ACCOUNT_MAX_BYTES ?? ACCOUNT_MAX_BYTES,
      maxRecords: values.ACCOUNT_MAX_RECORDS,
    },
    seedsSamples: values.SAMPLE_RECORDS === 'on',
  };
}

/** A new stub for each call, because a stub stays broken if its object was lost. */
export function accountStub(env: WorkerEnvironment, owner: string): AccountStub {
  return stubIn(env, env.ACCOUNTS, owner) as unknown as AccountStub;
}

export function directoryStub(env: WorkerEnvironment): DirectoryStub {
  return stubIn(env, env.DIRECTORY, DIRECTORY_NAME) as unknown as DirectoryStub;
}

function stubIn(env: WorkerEnvironment, objects: DurableObjectNamespace, name: string) {
  expectNoJurisdiction(env);
  return objects.get(objects.idFromName(name));
}

/** Earlier releases could keep the objects in a jurisdiction; without it, every account would be a new, empty object. */
const expectNoJurisdiction = once((env: WorkerEnvironment) => {
  const { OBJECTS_JURISDICTION: jurisdiction } = settingsIn(env);
  if (!jurisdiction) return {};
  throw new Error(
    `OBJECTS_JURISDICTION is ${JSON.stringify(jurisdiction)}; this release has no jurisdictions and would find no account. Deploy the earlier release and take the accounts out first`,
  );
});

/** Variables and secrets, with the names of the settings on Node. */
export function settingsIn(env: WorkerEnvironment): Environment {
  const texts = Object.entries(env).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts);
}

/** Reads a setting once per isolate: its requests and objects share one environment. */
export function once<Environment extends WorkerEnvironment, T extends object>(
  read: (env: Environment) => T,
): (env: Environment) => T {
  const known = new WeakMap<Environment, T>();
  return (env) => {
    const value = known.get(env) ?? read(env);
    known.set(env, value);
    return value;
  };
}
