// What the console's pages need, from the server or a test.

import type { Context, Hono } from 'hono';
import type { Log } from '../../core/log.js';
import type { OperatorClient } from '../../operator-client.js';
import type { Credentials } from './credentials.js';
import type { ConsoleAddress } from './request-guard.js';
import type { Sessions } from './sessions.js';

export interface ConsoleDeps {
  readonly address: ConsoleAddress;
  readonly client: OperatorClient;
  /** `http://HOST:PORT` of the operations port; undefined if there is none. */
  readonly opsUrl: string | undefined;
  readonly sessions: Sessions;
  readonly credentials: Credentials;
  /** The text of `console.css`. */
  readonly style: string;
  readonly log: Log;
}

/** `form`: the submitted one. */
export type PageEnvironment = { Variables: { form: URLSearchParams } };
export type App = Hono<PageEnvironment>;
export type PageContext = Context<PageEnvironment>;
