// The bindings of wrangler.toml: the namespaces of the objects, and the settings.

import type { DurableObjectNamespace } from '@cloudflare/workers-types';
import { type Environment, readObjectPlace } from '../settings.js';
import type { AccountStub, DirectoryStub } from './account-call.js';

export interface WorkerEnvironment {
  readonly ACCOUNTS: DurableObjectNamespace;
  readonly DIRECTORY: DurableObjectNamespace;
}

/** The one directory of a deployment. */
const DIRECTORY_NAME = 'directory';

/** A new stub for each call, because a stub whose object was lost may stay broken. */
export function accountStub(env: WorkerEnvironment, owner: string): AccountStub {
  return stubIn(env, env.ACCOUNTS, owner) as unknown as AccountStub;
}

export function directoryStub(env: WorkerEnvironment): DirectoryStub {
  return stubIn(env, env.DIRECTORY, DIRECTORY_NAME) as unknown as DirectoryStub;
}

/** Throws if the settings of the place cannot be used. A default would not do: another place has other objects. */
function stubIn(env: WorkerEnvironment, objects: DurableObjectNamespace, name: string) {
  const { jurisdiction, location } = readObjectPlace(settingsIn(env));
  const namespace = jurisdiction === undefined ? objects : objects.jurisdiction(jurisdiction);
  const id = namespace.idFromName(name);
  return location === undefined ? namespace.get(id) : namespace.get(id, { locationHint: location });
}

/** Variables and secrets, with the names of the settings on Node. */
export function settingsIn(env: WorkerEnvironment): Environment {
  const texts = Object.entries(env).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts);
}
