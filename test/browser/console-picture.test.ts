// The picture of the console on its page: made here, so that it shows the console as it is.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { Status } from '../../src/hosts/operations/status.js';
import { signIn, startChromium } from '../support/console-browser.js';
import { openConsole, portOf } from '../support/console-visitor.js';
import { ADMIN_KEY } from '../support/contract.js';
import { onLoopback } from '../support/loopback.js';
import { makeShopsFile } from '../support/messy-shops.js';
import { openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';

const PICTURE = fileURLToPath(new URL('../../src/tools/console/overview.png', import.meta.url));
const PICTURE_MAX_BYTES = 150_000;
const MINUTE_MS = 60_000;
const MINUTES = 60;

it('The picture shows the overview of a busy service, and is small', async () => {
  const service = await openNodeService();
  onTestFinished(() => service.close());
  await makeShopsFile(join(service.folder, 'service.db'));
  const settings = { ADMIN_API_KEY: ADMIN_KEY, BACKUP_DIR: service.folder, OPS_PORT: '0' };
  const server = await service.start(settings);
  await server.saw('"event":"backup_taken"');
  const hour = await openBusyHour(operationsOf(server));
  onTestFinished(() => hour.close());
  const address = { SERVICE_URL: `${server.origin}/api/v1`, ...portOf(hour.origin) };
  const running = await openConsole(address);
  onTestFinished(() => running.close());
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await signIn(page, running, running.codes.at(-1) ?? '');
  await page.getByRole('heading', { name: 'Last hour' }).waitFor();
  expect(await page.getByText('Healthy').isVisible()).toBe(true);
  expect(await page.locator('.plot rect').count()).toBeGreaterThan(50);
  await page.screenshot({ path: PICTURE });
  expect(readFileSync(PICTURE).length).toBeLessThan(PICTURE_MAX_BYTES);
}, 120_000);

/** The operations port of a service, as if it had been busy for an hour. */
function openBusyHour(url: string) {
  return onLoopback(
    createServer(async (_, response) => {
      const status = (await (await fetch(`${url}/status`)).json()) as Status;
      const now = Date.now();
      const last_hour = Array.from({ length: MINUTES }, (_, minute) => ({
        from: new Date(now - (MINUTES - minute) * MINUTE_MS).toISOString(),
        to: new Date(now - (MINUTES - minute - 1) * MINUTE_MS).toISOString(),
        requests: 90 + ((minute * 37) % 61) + Math.round(40 * Math.sin(minute / 9)),
        failed: 0,
        p95_seconds: minute % 7 === 3 ? 0.01 : 0.005,
      }));
      response.end(JSON.stringify({ ...status, last_hour }));
    }),
  );
}
