// What the pages are built from.

import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { Log } from '../../core/log.js';
import type { OperatorClient } from '../../operator-client.js';
import type { Credentials } from './credentials.js';
import type { View } from './layout.js';
import type { ConsoleAddress } from './request-guard.js';
import type { SentForms } from './sent-forms.js';
import type { Sessions, Tries } from './sessions.js';

export interface ConsoleParts {
  readonly address: ConsoleAddress;
  readonly client: OperatorClient;
  /** Where the client calls, for people. */
  readonly serviceUrl: string;
  /** `http://HOST:PORT` of the operations port; undefined: there is none. */
  readonly opsUrl: string | undefined;
  readonly sessions: Sessions;
  readonly tries: Tries;
  readonly credentials: Credentials;
  readonly sent: SentForms;
  /** The files that browsers load, by path. */
  readonly assets: Readonly<Record<string, { readonly type: string; readonly text: string }>>;
  /** Changes when a file does. */
  readonly assetVersion: string;
  readonly formId: () => string;
  readonly log: Log;
}

/** The values in the context of a page's action. */
export interface PageEnvironment {
  Bindings: HttpBindings;
  Variables: {
    view: View;
    form: URLSearchParams;
  };
}
export type App = Hono<PageEnvironment>;
export type PageContext = Context<PageEnvironment>;
