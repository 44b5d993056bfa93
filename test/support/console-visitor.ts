// A console on a real service, and a visitor that sends the requests of a browser or of an attacker.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import { readConsoleSettings } from '../../src/hosts/settings.js';
import { startConsole } from '../../src/tools/console/server.js';
import { ADMIN_KEY } from './contract.js';
import { dataService } from './data-service.js';
import { startManage } from './manage.js';
import { memoryLog } from './memory-log.js';
import type { Environment } from './program.js';

const ASSETS = new URL('../../dist/console/', import.meta.url);

export type Headers = Readonly<Record<string, string>>;
export type OpenConsole = Awaited<ReturnType<typeof openConsole>>;

/** A console in this process, in front of the service that the environment names. */
export async function openConsole(environment: Environment) {
  const codes: string[] = [];
  const log = memoryLog();
  const given = { ADMIN_API_KEY: ADMIN_KEY, CONSOLE_PORT: '0', ...environment };
  const { origin, close } = await startConsole({
    settings: readConsoleSettings(given, undefined),
    assetFolder: ASSETS,
    log,
    printCode: (code) => void codes.push(code),
  });
  const visitor = () => new Visitor(origin);
  return {
    ...{ origin, visitor, close },
    /** The codes so far, the newest last. */
    codes,
    log: () => JSON.stringify(log.lines),
    /** A visitor who has signed in by the newest code. */
    async signedIn(): Promise<Visitor> {
      const signing = visitor();
      await signing.signIn(codes.at(-1) ?? '');
      return signing;
    },
  };
}

/** `node dist/manage.js console`. Resolves when it listens. */
export async function startConsoleProcess(environment: Environment) {
  const program = startManage(['console'], { CONSOLE_PORT: '0', ...environment });
  const origin = await program.saw(/"address":"([^"]+)"/);
  // On a different stream from the address.
  await program.saw(/^console: .*\/$/m);
  /** The newest code for a sign-in. */
  const code = () => [...program.output().matchAll(/^code: (\S+)$/gm)].at(-1)?.[1] ?? '';
  return { ...program, origin, code };
}

/** A service, a console in front of it and a visitor who has signed in, for all tests of a file. */
export function consoleOfFile() {
  const service = dataService();
  const parts = { service } as { service: typeof service; console: OpenConsole; visitor: Visitor };
  beforeAll(async () => {
    parts.console = await openConsole({ SERVICE_URL: service.url });
    parts.visitor = await parts.console.signedIn();
  });
  afterAll(() => parts.console?.close());
  return parts;
}

export type Visit = Awaited<ReturnType<Visitor['send']>>;
/** Keeps its cookie and follows no redirect. Given headers replace those of a browser; an empty one is not sent. */
class Visitor {
  readonly origin: string;
  cookie = '';

  constructor(origin: string) {
    this.origin = origin;
  }

  get(path: string, headers: Headers = {}): Promise<Visit> {
    return this.send('GET', path, headers);
  }

  /** A form as the page on that path would send it, with the hidden fields of its own forms. */
  async submit(path: string, fields: Headers, headers: Headers = {}) {
    return this.post(path, { ...hiddenIn((await this.get(path)).text), ...fields }, headers);
  }

  post(path: string, fields: Headers, headers: Headers = {}) {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const usual = { Origin: this.origin, ...type, ...headers };
    return this.send('POST', path, usual, String(new URLSearchParams(fields)));
  }

  /** Signs in with a code or password. */
  async signIn(secret: string): Promise<Visit> {
    const visit = await this.post('/sign-in', { secret });
    if (visit.status !== 303) throw new Error(`not signed in: ${visit.status}`);
    return visit;
  }

  async send(method: string, path: string, headers: Headers, body = '') {
    const site = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' };
    const sent = Object.entries({ Cookie: this.cookie, ...site, ...headers });
    // Not `fetch`, which sends `Sec-Fetch-…` of its own.
    const outgoing = request(this.origin + path, {
      method,
      headers: Object.fromEntries(sent.filter(([, value]) => value !== '')),
    }).end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const bytes = await buffer(response);
    const [set] = response.headers['set-cookie'] ?? [];
    if (set !== undefined) this.cookie = set.split(';', 1)[0] ?? '';
    const { statusCode: status = 0, headers: received } = response;
    return { status, headers: received, text: bytes.toString(), bytes };
  }
}

/** A form's hidden fields: the page's id, the record as it was shown. */
export function hiddenIn(html: string): Record<string, string> {
  const names = ['form', 'base'].filter((name) => html.includes(`name="${name}"`));
  return Object.fromEntries(names.map((name) => [name, valueIn(html, name)]));
}

/** The settings that name the operations port at that address. */
export function portOf(url: string): { readonly OPS_HOST: string; readonly OPS_PORT: string } {
  const { hostname, port } = new URL(url);
  return { OPS_HOST: hostname, OPS_PORT: port };
}

/** The value of a form's field as a browser would send it. */
export function valueIn(html: string, name: string): string {
  const field = `name="${name.replace('.', '\\.')}"[^>]* value="([^"]*)"`;
  return plainText(new RegExp(field).exec(html)?.[1] ?? '');
}

/** HTML text without its escapes. */
export function plainText(html: string): string {
  const plain: Headers = { quot: '"', '#39': "'", lt: '<', gt: '>', amp: '&' };
  return html.replace(/&(quot|#39|lt|gt|amp);/g, (_, name) => plain[name] ?? '');
}
