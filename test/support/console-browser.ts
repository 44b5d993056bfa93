// The operator's console in a real browser, in front of one process or of Workers.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createOperatorClient, type OperatorClient } from '../../src/operator-client.js';
import { type ConsoleProcess, startConsoleProcess } from './console-process.js';
import { portOf } from './console-visitor.js';
import { operationsOf } from './operations.js';
import { startServer } from './server-process.js';
import { openTemporaryFolder } from './temporary-folder.js';
import { startMiniflare, workerOptions } from './worker-host.js';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const ADMIN_KEY = 'the-operators-key-of-the-browser-tests';

export interface ServiceUnderConsole {
  readonly name: string;
  /** Resolves with the console's environment beside the key. */
  start(
    folder: string,
    settings?: Readonly<Record<string, string>>,
  ): Promise<{ environment: Record<string, string>; stop(): Promise<unknown> }>;
}

/** `node dist/server.js` with its operations port and backups. */
export const oneProcess: ServiceUnderConsole = {
  name: 'one process',
  async start(folder, settings) {
    const backups = join(folder, 'backups');
    await mkdir(backups);
    const server = await startServer({
      DATABASE_URL: `file:${join(folder, 'service.db')}`,
      ADMIN_API_KEY: ADMIN_KEY,
      BACKUP_DIR: backups,
      OPS_PORT: '0',
      ...settings,
    });
    const environment = {
      SERVICE_URL: `${server.origin}/api/v1`,
      ...portOf(operationsOf(server)),
      BACKUP_DIR: backups,
    };
    return { environment, stop: () => server.stop() };
  },
};

/** The built Worker in Miniflare. */
export const workers: ServiceUnderConsole = {
  name: 'Workers',
  async start(folder) {
    const miniflare = await startMiniflare([
      await workerOptions(folder, { ADMIN_API_KEY: ADMIN_KEY }),
    ]);
    const { origin } = await miniflare.ready;
    return {
      environment: { SERVICE_URL: `${origin}/api/v1` },
      stop: () => miniflare.dispose(),
    };
  },
};

export interface BrowsedConsole {
  readonly console: ConsoleProcess;
  readonly browser: Browser;
  readonly client: OperatorClient;
  /** A page that is signed in, in a context of its own. */
  signedIn(options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
  close(): Promise<void>;
}

export function startChromium(): Promise<Browser> {
  // Containers give no user namespaces and little shared memory.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** `settings`: of the service, instead of its own. */
export async function browseConsole(
  service: ServiceUnderConsole,
  settings?: Readonly<Record<string, string>>,
): Promise<BrowsedConsole> {
  const folder = await openTemporaryFolder();
  const running = await service.start(folder.path, settings);
  const { environment } = running;
  const console = await startConsoleProcess({ ADMIN_API_KEY: ADMIN_KEY, ...environment });
  const browser = await startChromium();
  return {
    console,
    browser,
    client: createOperatorClient({
      baseUrl: environment['SERVICE_URL'] ?? '',
      adminKey: ADMIN_KEY,
    }),
    async signedIn(options) {
      const page = await (await browser.newContext(options)).newPage();
      await page.goto(`${console.origin}/`);
      await page.getByLabel('Code').fill(console.code());
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      return page;
    },
    async close() {
      await browser.close();
      await console.stop();
      await running.stop();
      await folder.remove();
    },
  };
}
