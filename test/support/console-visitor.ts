// A console on a real service, and a visitor: it sends the requests of a browser, or those
// of an attacker.

import { request } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import type { LogFields } from '../../src/core/log.js';
import { readConsoleSettings } from '../../src/hosts/settings/console-settings.js';
import { createOperatorClient, type OperatorClient } from '../../src/operator-client.js';
import {
  type ConsoleOptions,
  type RunningConsole,
  startConsole,
} from '../../src/tools/console/host.js';
import { openNodeService } from './node-service.js';

export const ADMIN_KEY = 'the-operators-key-of-the-console-tests';
const ASSETS = new URL('../../dist/console/', import.meta.url);

export interface Visit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
}

export type Headers = Readonly<Record<string, string>>;

export interface OpenConsole {
  readonly origin: string;
  /** The codes so far, the newest last. */
  readonly codes: readonly string[];
  /** Every line of the log so far. */
  log(): string;
  visitor(): Visitor;
  /** A visitor who has signed in by the newest code. */
  signedIn(): Promise<Visitor>;
  close(): Promise<void>;
}

/** A console in this process, in front of the service at that address. */
export async function openConsole(
  environment: Readonly<Record<string, string>>,
  more: Partial<ConsoleOptions> = {},
): Promise<OpenConsole> {
  const codes: string[] = [];
  const lines: string[] = [];
  const keep = (event: string, fields?: LogFields) => {
    lines.push(JSON.stringify({ event, ...fields }));
  };
  const settings = readConsoleSettings(
    { ADMIN_API_KEY: ADMIN_KEY, CONSOLE_PORT: '0', ...environment },
    undefined,
  );
  const running: RunningConsole = await startConsole({
    settings,
    erasure: { ledger: undefined, backups: undefined },
    assetFolder: ASSETS,
    log: {
      info: keep,
      warn: keep,
      error: (event, error, fields) => keep(event, { ...fields, error: String(error) }),
    },
    tellCode: (code) => void codes.push(code),
    ...more,
  });
  return {
    origin: running.origin,
    codes,
    log: () => lines.join('\n'),
    visitor: () => new Visitor(running.origin),
    async signedIn() {
      const visitor = new Visitor(running.origin);
      await visitor.signIn(codes.at(-1) ?? '');
      return visitor;
    },
    close: () => running.close(),
  };
}

/** A service with a console before it and a visitor who has signed in, for all tests of a file. */
export interface FileConsole {
  readonly service: ConsoleService;
  readonly console: OpenConsole;
  readonly visitor: Visitor;
}

export function consoleOfFile(): FileConsole {
  const parts = {} as { -readonly [Name in keyof FileConsole]: FileConsole[Name] };
  beforeAll(async () => {
    parts.service = await openService();
    parts.console = await openConsole({ SERVICE_URL: parts.service.url });
    parts.visitor = await parts.console.signedIn();
  });
  afterAll(async () => {
    await parts.console?.close();
    await parts.service?.close();
  });
  return parts;
}

export interface ConsoleService {
  readonly url: string;
  readonly client: OperatorClient;
  close(): Promise<void>;
}

/** `node dist/server.js` with the sample shop. */
export async function openService(): Promise<ConsoleService> {
  const service = await openNodeService();
  const { origin } = await service.start({ ADMIN_API_KEY: ADMIN_KEY });
  const url = `${origin}/api/v1`;
  const client = createOperatorClient({ baseUrl: url, adminKey: ADMIN_KEY });
  return { url, client, close: service.close };
}

/** Keeps its cookie, follows no redirect, and sends the given headers in place of a browser's. */
export class Visitor {
  readonly origin: string;
  cookie = '';

  constructor(origin: string) {
    this.origin = origin;
  }

  get(path: string, headers: Headers = {}): Promise<Visit> {
    const site = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' };
    return this.send('GET', path, { ...site, ...headers });
  }

  /** A form as the page on that path would send it: with the hidden fields of its own forms. */
  async submit(path: string, fields: Readonly<Record<string, string>>, headers: Headers = {}) {
    return this.post(path, { ...hiddenIn((await this.get(path)).text), ...fields }, headers);
  }

  post(path: string, fields: Readonly<Record<string, string>>, headers: Headers = {}) {
    const usual = {
      Origin: this.origin,
      'Sec-Fetch-Site': 'same-origin',
      'Sec-Fetch-Mode': 'navigate',
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    return this.send('POST', path, { ...usual, ...headers }, String(new URLSearchParams(fields)));
  }

  /** Signs in with a code or password. */
  async signIn(secret: string): Promise<Visit> {
    const visit = await this.post('/sign-in', { secret });
    if (visit.status !== 303) throw new Error(`not signed in: ${visit.status}`);
    return visit;
  }

  send(method: string, path: string, headers: Headers, body = ''): Promise<Visit> {
    const sent = Object.fromEntries(
      Object.entries({ ...(this.cookie && { Cookie: this.cookie }), ...headers }).filter(
        ([, value]) => value !== '',
      ),
    );
    return new Promise((resolve, reject) => {
      const outgoing = request(this.origin + path, { method, headers: sent }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const [set] = response.headers['set-cookie'] ?? [];
          if (set !== undefined) this.cookie = set.split(';', 1)[0] ?? '';
          const bytes = Buffer.concat(pieces);
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, text: bytes.toString(), bytes });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

/** What every form of a page carries: the session's token and the page's id; the record as it was shown. */
export function hiddenIn(html: string): Record<string, string> {
  const names = ['token', 'form', 'base', 'sent'].filter((name) => html.includes(`name="${name}"`));
  return Object.fromEntries(names.map((name) => [name, valueIn(html, name)]));
}

export function tokenIn(html: string): string {
  return valueIn(html, 'token');
}

/** The settings that name the operations port at that address. */
export function portOf(url: string): { readonly OPS_HOST: string; readonly OPS_PORT: string } {
  const { hostname, port } = new URL(url);
  return { OPS_HOST: hostname, OPS_PORT: port };
}

/** The value of a form's field as a browser would send it. */
export function valueIn(html: string, name: string): string {
  const found = new RegExp(`name="${name.replace('.', '\\.')}"[^>]* value="([^"]*)"`).exec(html);
  return plainText(found?.[1] ?? '');
}

/** HTML text without its escapes. */
export function plainText(html: string): string {
  return html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
