// The bindings of wrangler.toml: the namespaces of the objects, and the settings.

import type { DurableObjectNamespace } from '@cloudflare/workers-types';
import type { Environment } from '../settings.js';
import type { AccountStub, DirectoryStub } from './account-call.js';

export interface WorkerEnvironment {
  readonly ACCOUNTS: DurableObjectNamespace;
  readonly DIRECTORY: DurableObjectNamespace;
}

/** The one directory of a deployment. */
const DIRECTORY_NAME = 'directory';

/** A new stub for each call, because a stub whose object was lost may stay broken. */
export function accountStub({ ACCOUNTS }: WorkerEnvironment, owner: string): AccountStub {
  return ACCOUNTS.get(ACCOUNTS.idFromName(owner)) as unknown as AccountStub;
}

export function directoryStub({ DIRECTORY }: WorkerEnvironment): DirectoryStub {
  return DIRECTORY.get(DIRECTORY.idFromName(DIRECTORY_NAME)) as unknown as DirectoryStub;
}

/** Variables and secrets, with the names of the settings on Node. */
export function settingsIn(env: WorkerEnvironment): Environment {
  const texts = Object.entries(env).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts);
}
