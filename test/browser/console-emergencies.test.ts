// The console in Chromium while the service is not well, with thirty shops: both pages about
// the service in each emergency, judged by axe-core, light and dark, wide and narrow; pictures.

import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWithFailingWrites } from '../support/changed-build.js';
import { judge, LOOKS, type Look, signIn, startChromium } from '../support/console-browser.js';
import { type OpenConsole, openConsole, portOf } from '../support/console-visitor.js';
import { ADMIN_KEY } from '../support/contract.js';
import { makeShopsFile } from '../support/messy-shops.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
import { privateMounts } from '../support/private-mounts.js';
import type { ServerProcess } from '../support/server-process.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const MOUNTS = privateMounts();

/** One emergency's parts, and what is done to them. */
interface Scene {
  readonly service: NodeService;
  readonly server: ServerProcess;
}

interface Emergency {
  /** The heading, or the first words of the verdict, on both pages. */
  readonly says: string;
  /** The path of another server's build. */
  readonly build?: (service: NodeService) => Promise<string>;
  /** Of the console. */
  readonly console?: (scene: Scene) => Record<string, string>;
  readonly onSmallDisk?: boolean;
  strike?(scene: Scene): Promise<unknown>;
  readonly paths?: readonly string[];
}

const EMERGENCIES: Readonly<Record<string, Emergency>> = {
  healthy: { says: 'Healthy' },
  'provider-away': {
    says: 'Customers are refused',
    async strike({ service, server }) {
      await service.identity.close();
      const headers = { Authorization: 'Bearer x' };
      expect((await fetch(`${server.origin}/api/v1/orders`, { headers })).status).toBe(503);
    },
  },
  'disk-full': { says: 'Not ready', onSmallDisk: true },
  'writes-failing': {
    says: 'Not ready',
    build: ({ folder }) => buildWithFailingWrites(folder, join(folder, 'fault')),
    async strike({ service, server }) {
      await writeFile(join(service.folder, 'fault'), '');
      const headers = { 'X-Service-Admin-Key': ADMIN_KEY };
      const url = `${server.origin}/api/v1/admin/accounts/shop/customers`;
      const body = '{"name":"Asha","phone":"1"}';
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(500);
    },
  },
  'file-gone': {
    says: 'Not ready',
    async strike({ service, server }) {
      await rm(join(service.folder, 'service.db'));
      await server.saw('"event":"database_saved"');
    },
  },
  'backup-failed': {
    says: 'needs attention',
    async strike({ service, server }) {
      await rm(join(service.folder, 'backups'), { recursive: true });
      server.child.kill('SIGUSR2');
      await server.saw('"event":"backup_failed"');
    },
  },
  'operations-port-away': {
    says: 'its health is unknown',
    console: () => ({ OPS_PORT: '1' }),
  },
  'wrong-key': {
    says: 'The service refused the admin key',
    console: () => ({ ADMIN_API_KEY: 'another-key-of-32-characters-or-more' }),
  },
  dead: {
    says: 'The service does not answer',
    strike: ({ server }) => server.stop(),
    paths: ['/', '/accounts'],
  },
  'never-seen': {
    says: 'The service does not answer',
    console: () => ({ SERVICE_URL: 'http://127.0.0.1:1/api/v1', OPS_PORT: '' }),
    paths: ['/'],
  },
};

let browser: Browser;
let folder: Awaited<ReturnType<typeof openTemporaryFolder>>;
/** A database with the shops. */
let filled: string;

beforeAll(async () => {
  browser = await startChromium();
  folder = await openTemporaryFolder();
  filled = join(folder.path, 'filled.db');
  await makeShopsFile(filled);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await folder?.remove();
});

describe.each(Object.entries(EMERGENCIES))('In the emergency %s', (name, emergency) => {
  const { says, onSmallDisk = false, paths = ['/', '/health'] } = emergency;
  const isPossible = !onSmallDisk || MOUNTS !== undefined;
  let service: NodeService;
  let running: OpenConsole;
  let aheadMs = 0;

  beforeAll(async () => {
    if (!isPossible) return;
    service = await openNodeService();
    const server = await start(service, emergency);
    running = await openConsole(
      {
        SERVICE_URL: `${server.origin}/api/v1`,
        ...portOf(operationsOf(server)),
        ...emergency.console?.({ service, server }),
      },
      { clock: () => Date.now() + aheadMs, answerMaxMs: 5_000 },
    );
    // What is known last is of before.
    await (await running.signedIn()).get('/');
    await emergency.strike?.({ service, server });
    // An answer of the operations port is shown again for two seconds.
    aheadMs = 60_000;
  }, 120_000);
  afterAll(async () => {
    await running?.close();
    await service?.close();
  });

  it.runIf(isPossible).each(LOOKS)(
    'the pages say so at $width pixels, $colorScheme',
    async (look) => {
      const page = await signedIn(look);
      for (const path of paths) {
        await page.goto(running.origin + path);
        expect(await page.locator('main').innerText()).toContain(says);
        await judge(page, `${name}-${path === '/' ? 'overview' : path.slice(1)}`, look);
      }
      await page.context().close();
    },
  );

  async function signedIn({ width, colorScheme }: Look) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    await signIn(page, running, running.codes.at(-1) ?? '');
    await page.waitForURL(`${running.origin}/`);
    return page;
  }
});

async function start(service: NodeService, { onSmallDisk, build }: Emergency) {
  const backups = join(service.folder, 'backups');
  const database = join(service.folder, 'service.db');
  if (onSmallDisk !== true) {
    await cp(filled, database);
    await mkdir(backups);
  }
  // The disk is in memory, and a copy of the database fills most of it.
  const mount = `mount -t tmpfs -o size=9000000 tmpfs "$0" && cp ${filled} ${database} && mkdir ${backups} && exec "$@"`;
  const under = onSmallDisk ? [...(MOUNTS ?? []), 'sh', '-c', mount, service.folder] : [];
  const settings = { ADMIN_API_KEY: ADMIN_KEY, OPS_PORT: '0', BACKUP_DIR: backups };
  const server = await service.start(settings, { script: await build?.(service), under });
  // On the small disk there is no room for one.
  if (onSmallDisk === true) return server;
  await server.saw('"event":"backup_taken"');
  await writeFile(join(backups, 'service-2026-01-14T03-12-45.123Z.db'), 'no database');
  return server;
}
