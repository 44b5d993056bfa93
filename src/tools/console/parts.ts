// The console's parts, for the routes that use them.

import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Log } from '../../core/log.js';
import type { Accounts } from './account-list.js';
import type { Credentials } from './credentials.js';
import type { Erasures } from './erasures.js';
import type { Formats } from './formats.js';
import type { View } from './layout.js';
import type { OperationsPort } from './operations-port.js';
import type { ConsoleAddress } from './request-guard.js';
import type { ConsoleService } from './service.js';
import type { Session, Sessions, Tries } from './sessions.js';
import type { Watch } from './watch.js';

/** A file that browsers load, by its path. */
export interface Asset {
  readonly type: string;
  readonly text: string;
}

export interface ConsoleParts {
  readonly address: ConsoleAddress;
  readonly service: ConsoleService;
  readonly accounts: Accounts;
  readonly watch: Watch;
  readonly operations: OperationsPort;
  readonly erasures: Erasures;
  readonly sessions: Sessions;
  readonly tries: Tries;
  readonly credentials: Credentials;
  readonly formats: Formats;
  /** By path, such as `/console.css`. */
  readonly assets: Readonly<Record<string, Asset>>;
  /** Changes when a file does. */
  readonly assetVersion: string;
  /** Names and values for the page of health; no secret is among them. */
  readonly settings: () => readonly (readonly [string, string])[];
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

/** The values in the context of a page's action. */
export interface PageEnvironment {
  Bindings: HttpBindings;
  Variables: { view: View; session: Session; form: URLSearchParams };
}
export type App = Hono<PageEnvironment>;
