// The console while the service isn't well, and its backups: what it says of each emergency, and
// what it offers to paste. Nothing is green then.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { REASONS, WARNINGS } from '../../src/hosts/operations/troubles.js';
import { readConsoleSettings } from '../../src/hosts/settings/console-settings.js';
import {
  BACKUP_COMMAND,
  LOOK_COMMANDS,
  restoreCommands,
  START_COMMANDS,
} from '../../src/tools/console/commands.js';
import { buildWithFailingWrites } from '../support/changed-build.js';
import {
  ADMIN_KEY,
  type OpenConsole,
  openConsole,
  plainText,
  portOf,
  tokenIn,
  type Visitor,
} from '../support/console-visitor.js';
import { eventually } from '../support/eventually.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
import { textOf as fileText } from '../support/pages.js';
import { privateMounts } from '../support/private-mounts.js';
import type { ServerProcess } from '../support/server-process.js';

const SETTINGS = { ADMIN_API_KEY: ADMIN_KEY, OPS_PORT: '0' };
const MOUNTS = privateMounts();

let service: NodeService;
let running: OpenConsole | undefined;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  await service.close();
});

async function visitorOf(
  server: ServerProcess,
  environment: Record<string, string> = portOf(operationsOf(server)),
): Promise<Visitor> {
  running = await openConsole({ SERVICE_URL: `${server.origin}/api/v1`, ...environment });
  return running.signedIn();
}

/** Both pages about the service, in front of that server. */
async function pagesOf(server: ServerProcess, environment?: Record<string, string>) {
  const visitor = await visitorOf(server, environment);
  const pages = await Promise.all(['/', '/health'].map((path) => visitor.get(path)));
  return pages.map(({ text }) => text);
}

/** The text of a page without its tags. */
function textOf(html: string): string {
  return plainText(html.replaceAll(/<[^>]+>/g, '')).replaceAll(/\s+/g, ' ');
}

function withoutTicks({ meaning, action }: { meaning: string; action: string }) {
  return [meaning, action].map((sentence) => sentence.replaceAll('`', ''));
}

function expectTrouble(html: string, trouble: { meaning: string; action: string }): void {
  expectNothingGreen(html);
  for (const sentence of withoutTicks(trouble)) expect(textOf(html)).toContain(sentence);
}

function expectNothingGreen(html: string): void {
  expect(html).not.toMatch(/class="[^"]*\bgood\b/);
  expect(textOf(html)).not.toContain('Healthy');
}

it('A healthy service is called so, in green, and only with the operations port', async () => {
  const server = await service.start({ ...SETTINGS, BACKUP_DIR: service.folder });
  for (const page of await pagesOf(server)) {
    expect(page).toContain('<div class="notice good" role="status"><strong>Healthy.');
  }
  for (const [environment, words] of [
    [{}, /Set OPS_PORT to see whether/],
    [{ OPS_PORT: '1' }, /its health is unknown\. The operations port .+ gave no usable answer/],
  ] as const) {
    await running?.close();
    for (const page of await pagesOf(server, environment)) {
      expectNothingGreen(page);
      expect(textOf(page)).toMatch(words);
    }
  }
});

it('While the provider is away customers are refused: since when, what to do; refused keys are counted', async () => {
  const server = await service.start({ ...SETTINGS, BACKUP_DIR: service.folder });
  await service.identity.close();
  const headers = { Authorization: 'Bearer x' };
  expect((await fetch(`${server.origin}/api/v1/customers`, { headers })).status).toBe(503);
  const key = { 'X-Service-Admin-Key': 'a guess' };
  await fetch(`${server.origin}/api/v1/admin/usage`, { headers: key });
  const pages = await pagesOf(server);
  for (const page of pages) {
    expect(page).toContain('<div class="notice bad" role="alert"><strong>Customers are refused.');
    expectTrouble(page, WARNINGS.identity_provider_unavailable);
    expect(textOf(page)).toMatch(/Since \d+ \w+ \d{4}, \d\d:\d\d\./);
  }
  const [overview = '', health = ''] = pages.map(textOf);
  expect(overview).toMatch(/of which 1 failed/);
  expect(health).toMatch(/Refused admin keys1, the last at \d+ \w+ \d{4}, \d\d:\d\d;/);
});

it.skipIf(MOUNTS === undefined)('A full disk is nowhere green, with its sentence', async () => {
  const mount = 'mount -t tmpfs -o size=3000000 tmpfs "$0" && exec "$@"';
  const under = [...(MOUNTS ?? []), 'sh', '-c', mount, service.folder];
  const server = await service.start(SETTINGS, { under });
  for (const page of await pagesOf(server)) {
    expectTrouble(page, REASONS.disk_full);
    expect(textOf(page)).toMatch(/Not ready\..*[\d.]+ MiB free\./);
  }
});

it('While writes fail the page says since when and why', async () => {
  const fault = join(service.folder, 'fault');
  const script = await buildWithFailingWrites(service.folder, fault);
  const server = await service.start(SETTINGS, { script });
  await writeFile(fault, '');
  const headers = { 'X-Service-Admin-Key': ADMIN_KEY };
  const url = `${server.origin}/api/v1/admin/accounts/shop/customers`;
  const body = JSON.stringify({ name: 'A', phone: '1' });
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(500);
  for (const page of await pagesOf(server)) {
    expectTrouble(page, REASONS.writes_failing);
    expect(textOf(page)).toMatch(/Since \d+ \w+ \d{4}, \d\d:\d\d\. Last reason: SQLITE_IOERR/);
  }
});

it('A file that disappears is said on both pages, and a warning without details, too', async () => {
  const server = await service.start(SETTINGS);
  for (const page of await pagesOf(server)) {
    expectTrouble(page, WARNINGS.backup_not_configured);
    expect(page).not.toMatch(/<strong>\s*<\/strong>/);
  }
  await running?.close();
  await rm(join(service.folder, 'service.db'));
  await server.saw('"event":"database_saved"');
  for (const page of await pagesOf(server)) expectTrouble(page, REASONS.storage_lost);
});

describe('A service that is down', () => {
  it('has the commands to find out why and to start it, and what was known last, on every page', async () => {
    const server = await service.start({ ...SETTINGS, BACKUP_DIR: service.folder });
    await server.saw('"event":"backup_taken"');
    await pagesOf(server);
    await server.stop();
    const visitor = await running?.signedIn();
    for (const path of ['/', '/health', '/accounts', '/audit']) {
      const visit = await visitor?.get(path);
      expect(visit?.status).toBe(502);
      const html = visit?.text ?? '';
      expectNothingGreen(html);
      const text = textOf(html);
      const known = ['The service does not answer.', `Records${SAMPLE_COUNT}`, 'Last hour'];
      for (const words of [...known, ...LOOK_COMMANDS, ...START_COMMANDS]) {
        expect(text).toContain(words);
      }
      expect(text).toMatch(/Last answer: \d+ \w+ \d{4}, \d\d:\d\d, \d+ s ago\./);
      expect(text).toMatch(/The operations port .+ gave no usable answer/);
      expect(text).toMatch(/service-management restore \S+\.db/);
      expect(html).not.toContain('Back up now');
    }
    await service.start({ ...SETTINGS, PORT: new URL(server.origin).port });
    expect((await visitor?.get('/health'))?.status).toBe(200);
  });

  it('since before this console ran has them, too', async () => {
    running = await openConsole({ SERVICE_URL: 'http://127.0.0.1:1/api/v1' });
    const text = textOf((await (await running.signedIn()).get('/')).text);
    expect(text).toContain('No answer since this console started at');
    for (const command of START_COMMANDS) expect(text).toContain(command);
  });
});

describe('Backups', () => {
  const DAMAGED = 'service-2026-01-14T03-12-45.123Z.db';
  let server: ServerProcess;
  let folder: string;

  beforeEach(async () => {
    folder = join(service.folder, 'its backups');
    await mkdir(folder);
    const backups = { BACKUP_DIR: folder, BACKUP_INTERVAL_HOURS: '0' };
    server = await service.start({ ...SETTINGS, ...backups });
    // After the start, which makes no new database where a backup is.
    await writeFile(join(folder, DAMAGED), 'no database');
  });

  it('are taken on request, each with its records, age and check, and the commands that restore', async () => {
    const visitor = await visitorOf(server);
    expect((await visitor.post('/health/backup', { token: 'a guess' })).status).toBe(403);
    const token = tokenIn((await visitor.get('/health')).text);
    const asked = await visitor.post('/health/backup', { token });
    expect(asked.headers['location']).toBe('/health?asked=202#backups');
    await server.saw('"event":"backup_taken"');
    const page = await eventually(async () => {
      const { text } = await visitor.get('/health?asked=202');
      expect(text).toContain('opens, records counted');
      expect(text).toContain('can’t be opened');
      return text;
    });
    expect(page).toContain('The backup was taken.');
    const [newest = ''] = /service-[^<]+\.db/.exec(page) ?? [];
    expect(page).toMatch(/data-label="Age"><bdi>\d+ s ago</);
    expect(page).toContain(`data-label="Records"><bdi>${SAMPLE_COUNT}<`);
    expect(plainText(page)).toContain(restoreCommands(join(folder, newest)).join('\n'));
  });

  it('have commands that are those of the operator’s page', () => {
    const page = fileText('src/hosts/operations/RUNNING.md').replaceAll(/ \\\n +/g, ' ');
    const file = '/var/backups/service-management/daily/FILE';
    const shown = [BACKUP_COMMAND, ...LOOK_COMMANDS, ...restoreCommands(file)];
    for (const command of shown) expect(page).toContain(command);
    expect(restoreCommands("/it's")[1]).toContain(String.raw` '/it'\''s' `);
  });

  it('are requested with the key on this machine only', async () => {
    const environment = { SERVICE_URL: `${server.origin}/api/v1`, ADMIN_API_KEY: ADMIN_KEY };
    const own = { ...environment, CONSOLE_PORT: '0', ...portOf(operationsOf(server)) };
    const settings = { ...readConsoleSettings(own, undefined), opsTakesKey: false };
    running = await openConsole(environment, { settings });
    const visitor = await running.signedIn();
    const { text } = await visitor.get('/health');
    expect(text).toContain('systemctl kill -s SIGUSR2');
    expect(text).not.toContain('action="/health/backup"');
    expect((await visitor.get('/health?asked=401')).text).toContain('refused the admin key');
    expect((await visitor.get('/health?asked=<script>')).text).not.toContain('No backup was taken');
  });

  it('that fail say when and why', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, 'no folder');
    server.child.kill('SIGUSR2');
    await server.saw('"event":"backup_failed"');
    for (const page of await pagesOf(server)) {
      expect(textOf(page)).toMatch(/The last backup failed, or .+ \d\d:\d\d: .+\.What to do:/);
    }
  });
});
