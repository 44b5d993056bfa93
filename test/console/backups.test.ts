// Backups on the page of health: one at once, each with its records and its check, the
// commands that restore one; and the refused admin keys.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import {
  BACKUP_COMMAND,
  LOOK_COMMANDS,
  restoreCommands,
} from '../../src/tools/console/commands.js';
import { ADMIN_KEY, type OpenConsole, openConsole, plainText } from '../support/console-visitor.js';
import { eventually } from '../support/eventually.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
import { textOf } from '../support/pages.js';
import type { ServerProcess } from '../support/server-process.js';

const DAMAGED = 'service-2026-01-14T03-12-45.123Z.db';

let service: NodeService;
let server: ServerProcess;
let folder: string;
let running: OpenConsole | undefined;

beforeEach(async () => {
  service = await openNodeService();
  folder = join(service.folder, 'its backups');
  await mkdir(folder);
  server = await service.start({
    ADMIN_API_KEY: ADMIN_KEY,
    OPS_PORT: '0',
    BACKUP_DIR: folder,
    BACKUP_INTERVAL_HOURS: '0',
  });
  // After the start, which makes no new database where a backup is.
  await writeFile(join(folder, DAMAGED), 'no database');
});
afterEach(async () => {
  await running?.close();
  await service.close();
});

async function open(environment: Record<string, string> = {}) {
  running = await openConsole({
    SERVICE_URL: `${server.origin}/api/v1`,
    CONSOLE_OPS_URL: operationsOf(server),
    ...environment,
  });
  return running.signedIn();
}

it('“Back up now” takes one, and the list has its records, age and check', async () => {
  const visitor = await open();
  expect((await visitor.get('/health')).text).toContain('Back up now');
  expect((await visitor.post('/health/backup', { token: 'a guess' })).status).toBe(403);
  const sent = await visitor.submit('/health/backup', {});
  expect([sent.status, sent.headers['location']]).toEqual([303, '/health?asked=begun#backups']);
  await server.saw('"event":"backup_taken"');
  const page = await eventually(async () => {
    const { text: shown } = await visitor.get('/health?asked=begun');
    expect(shown).toContain('opens, all records counted');
    expect(shown).toContain('cannot be opened');
    return shown;
  });
  expect(page).toContain('The backup was asked for, and has ended.');
  const rows = page.match(/<tr><th scope="row">service-.*?<\/tr>/g) ?? [];
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/data-label="Age">\d+ s ago</);
  expect(rows[0]).toContain(`data-label="Records">${SAMPLE_COUNT}<`);
  expect(rows[1]).toContain(DAMAGED);
  expect(rows[1]).not.toContain('Restore it');
});

it('The commands restore the chosen backup, and are those of the page of operations', async () => {
  const visitor = await open();
  const { text } = await visitor.get(`/health?restore=${DAMAGED}`);
  const [stop = '', restore = '', start = ''] = restoreCommands(join(folder, DAMAGED));
  expect(plainText(text)).toContain([stop, restore, start].join('\n'));
  expect(restore).toContain(`restore '${folder}/${DAMAGED}' --settings`);
  expect(restoreCommands("/it's")[1]).toContain(String.raw` '/it'\''s' `);
  const page = textOf('src/hosts/operations/README.md').replaceAll(/ \\\n +/g, ' ');
  const shown = [
    BACKUP_COMMAND,
    ...LOOK_COMMANDS,
    ...restoreCommands('/var/backups/service-management/daily/FILE'),
  ];
  for (const command of shown) expect(page).toContain(command);
  const gone = await visitor.get('/health?restore=another.db');
  expect(gone.text).toContain('This backup is not in the folder any more.');
});

it('The key goes to the operations port of this machine only', async () => {
  const visitor = await open({ CONSOLE_OPS_URL: operationsOf(server).replace('127.0.0.1', '0') });
  const { text } = await visitor.get('/health');
  expect(text).toContain('systemctl kill -s SIGUSR2');
  expect(text).not.toContain('action="/health/backup"');
});

it('A refused question says why, and takes nothing', async () => {
  const visitor = await open();
  const { text } = await visitor.get('/health?asked=refused');
  expect(text).toContain('the operations port refuses the admin key');
  expect((await visitor.get('/health?asked=<script>')).text).not.toContain('No backup was taken');
});

it('Refused admin keys are shown with their time and number', async () => {
  for (let guess = 0; guess < 3; guess++) {
    await fetch(`${server.origin}/api/v1/admin/usage`, {
      headers: { 'X-Service-Admin-Key': `guess ${guess}` },
    });
  }
  const visitor = await open({ CONSOLE_TIME_ZONE: 'America/Lima' });
  const { text } = await visitor.get('/health');
  expect(text).toContain('3 since the service was started.');
  expect((await visitor.get('/')).text).toMatch(/Refused admin keys<\/dt><dd>3, the last at \d/);
  expect(text).toContain('Times are those of America/Lima');
});
