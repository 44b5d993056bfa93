// The client in the browsers of this machine, from a page of another origin than the
// API's: each is started with the page's address, and the page sends what it saw.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Loopback, onLoopback } from '../support/loopback.js';
import { ROOT } from '../support/pages.js';
import { interrupted, printed, spawnPreview } from '../support/preview-process.js';
import type { Program } from '../support/program.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

interface Seen {
  readonly agent: string;
  readonly [fact: string]: unknown;
}

interface Candidate {
  readonly name: string;
  readonly program: string;
  args(url: string, profile: string): readonly string[];
  /** The browser's own name of itself. */
  readonly agent: RegExp;
}

/** WebKitGTK's own; it needs a display. */
const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';
/** A display without a graphics card. */
const NO_GRAPHICS = {
  GDK_BACKEND: 'x11',
  WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  WEBKIT_DISABLE_DMABUF_RENDERER: '1',
};
const CANDIDATES: readonly Candidate[] = [
  {
    name: 'Chromium',
    program: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: (url, profile) => [
      '--headless',
      '--no-sandbox',
      '--disable-dev-shm-usage',
      `--user-data-dir=${profile}`,
      url,
    ],
    agent: /Chrome\/[\d.]+/,
  },
  {
    name: 'Firefox',
    program: '/usr/bin/firefox-esr',
    args: (url, profile) => ['--headless', '--no-remote', '--profile', profile, url],
    agent: /Firefox\/[\d.]+/,
  },
  {
    name: 'WebKit',
    program: existsSync(MINI_BROWSER) ? '/usr/bin/xvfb-run' : MINI_BROWSER,
    args: (url) => ['-a', MINI_BROWSER, url],
    agent: /AppleWebKit\/[\d.]+(?!.*Chrome)/,
  },
];

const PAGE_SCRIPT = (api: string) => `
import { ApiError, createClient } from './client.js';
const api = createClient({ baseUrl: '${api}', token: 'local-preview' });
const ids = [];
for await (const { id } of api.orders.all({ page_size: 3 })) ids.push(id);
const refused = await api.orders.create({ customer: '', amount: 0 }).catch((error) => error);
const missing = await api.orders.read('ORD-9999').catch((error) => error);
const slow = createClient({ baseUrl: '${api}', token: 't', timeoutMs: 20, fetch: () => new Promise(() => {}) });
const late = await slow.orders.list().catch((error) => error);
const controller = new AbortController();
const list = api.orders.list({}, { signal: controller.signal }).catch((error) => error);
controller.abort();
const { id, owner_sub } = await api.customers.create({ name: 'Zoë', phone: '1' });
await api.customers.update(id, { phone: '2' });
const { deleted } = await api.customers.delete(id);
const seen = {
  agent: navigator.userAgent, ids, deleted, owner_sub, fields: refused.fields,
  missing: [missing.code, missing.status, missing instanceof ApiError, /^req_/.test(missing.requestId)],
  late: late.code, ended: (await list).code,
};
await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) });
`;

let folder: TemporaryFolder;
let preview: Program;
let site: Loopback;
let script = '';
let tell: (seen: Seen) => void = () => {};

beforeAll(async () => {
  folder = await openTemporaryFolder();
  preview = spawnPreview(folder.path);
  const api = /runs at (\S+)/.exec(await printed(preview))?.[1] ?? '';
  const { outputFiles } = await build({
    stdin: { contents: PAGE_SCRIPT(api), resolveDir: join(ROOT, 'dist') },
    bundle: true,
    format: 'esm',
    write: false,
  });
  script = outputFiles[0]?.text ?? '';
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      let text = '';
      for await (const piece of request) text += piece;
      tell(JSON.parse(text));
      response.end();
      return;
    }
    const isScript = request.url === '/main.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(
      isScript ? script : '<!doctype html><script type="module" src="/main.js"></script>',
    );
  });
  site = await onLoopback(server);
});
afterAll(async () => {
  await site?.close();
  await interrupted(preview);
  await folder.remove();
});

it.each(CANDIDATES.filter(({ program }) => existsSync(program)))(
  'The client works in $name',
  async ({ name, program, args, agent }) => {
    const profile = join(folder.path, name);
    await mkdir(profile);
    const told = new Promise<Seen>((resolve) => {
      tell = resolve;
    });
    const url = `${site.origin}/`;
    // A process group of its own: a browser is several processes.
    const child = spawn(program, args(url, profile), {
      stdio: 'ignore',
      detached: true,
      env: { ...process.env, ...NO_GRAPHICS, HOME: profile },
    });
    const ended = once(child, 'close').then(() => {
      throw new Error(`${name} ended before its page had told anything`);
    });
    ended.catch(() => {});
    try {
      const seen = await Promise.race([told, ended]);
      expect(seen).toEqual({
        agent: expect.stringMatching(agent),
        ids: ['ORD-0004', 'ORD-0003', 'ORD-0002', 'ORD-0001'],
        deleted: true,
        owner_sub: 'local-preview',
        fields: {
          customer: { reason: 'empty', message: expect.stringMatching(/^is an empty string/) },
          service: { reason: 'missing', message: expect.stringMatching(/^is missing/) },
          amount: { reason: 'not_positive', message: 'is 0; it must be a number above 0' },
        },
        missing: ['NOT_FOUND', 404, true, true],
        late: 'TIMED_OUT',
        ended: 'ABORTED',
      });
      process.stderr.write(`${name}: ${agent.exec(seen.agent)?.[0]}\n`);
    } finally {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    }
  },
);
