// What the pages are built from.

import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { Log } from '../../core/log.js';
import type { Credentials } from './credentials.js';
import type { Erasures } from './erasures.js';
import type { Formats } from './formats.js';
import type { View } from './layout.js';
import type { ConsoleAddress } from './request-guard.js';
import type { SentForms } from './sent-forms.js';
import type { ConsoleService } from './service.js';
import type { Session, Sessions, Tries } from './sessions.js';
import type { StatusPort } from './status-port.js';

export interface ConsoleParts {
  readonly address: ConsoleAddress;
  readonly service: ConsoleService;
  readonly status: StatusPort;
  readonly erasures: Erasures;
  readonly sessions: Sessions;
  readonly tries: Tries;
  readonly credentials: Credentials;
  readonly sent: SentForms;
  readonly formats: Formats;
  /** The files that browsers load, by path. */
  readonly assets: Readonly<Record<string, { readonly type: string; readonly text: string }>>;
  /** Changes when a file does. */
  readonly assetVersion: string;
  readonly formId: () => string;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

/** The values in the context of a page's action. */
export interface PageEnvironment {
  Bindings: HttpBindings;
  Variables: {
    view: View;
    session: Session;
    form: URLSearchParams;
    /** The form was sent before the sign-in: it is shown again, but not acted on. */
    isReview: boolean;
  };
}
export type App = Hono<PageEnvironment>;
export type PageContext = Context<PageEnvironment>;
