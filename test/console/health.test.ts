// The console while the service is unhealthy: what it reports, and what to do. Nothing is green
// then.

import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { HEALTH_ISSUES, REASONS, WARNINGS } from '../../src/hosts/operations/health-issues.js';
import { DIAGNOSIS_COMMANDS, START_COMMANDS } from '../../src/tools/console/error-page.js';
import { openConsole, plainText, portOf } from '../support/console-visitor.js';
import { ADMIN_KEY } from '../support/contract.js';
import { listenLocally } from '../support/listen.js';
import { nodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
import { textOf as fileText } from '../support/pages.js';
import type { ServerProcess } from '../support/server-process.js';

const service = nodeService();
let folder: string;
let server: ServerProcess;
const settings = () => ({ ADMIN_API_KEY: ADMIN_KEY, OPS_PORT: '0', BACKUP_DIR: folder });

beforeEach(async () => {
  folder = service.at('its backups');
  await mkdir(folder);
  server = await service.start({ ...settings(), BACKUP_INTERVAL_HOURS: '0' });
});

/** In front of the server. */
async function signedIn(environment: Record<string, string> = portOf(operationsOf(server))) {
  const address = { SERVICE_URL: `${server.origin}/api/v1`, ...environment };
  const running = await openConsole(address);
  onTestFinished(() => running.close());
  return running.signedIn();
}

/** The text of a page without its tags. */
function textOf(html: string): string {
  return plainText(html.replaceAll(/<[^>]+>/g, '')).replaceAll(/\s+/g, ' ');
}

function expectNothingGreen(html: string): void {
  expect(html).not.toMatch(/class="[^"]*\bgood\b/);
}

it('Only a healthy service with an operations port is shown in green', async () => {
  for (const [environment, words] of [
    [undefined, /^Healthy\./],
    [{}, /Set OPS_PORT to see whether/],
    [{ OPS_PORT: '1' }, /its health is unknown\. The operations port .+ gave no usable response/],
  ] as const) {
    const visitor = await signedIn(environment);
    for (const path of ['/', '/health']) {
      const { text } = await visitor.get(path);
      const [, kind, notice = ''] =
        /<div class="notice (\w+)"[^>]*>(.+?)<(?:ul|\/div)/s.exec(text) ?? [];
      expect(textOf(notice)).toMatch(words);
      if (environment === undefined) expect(kind).toBe('good');
      else expectNothingGreen(text);
    }
  }
});

it('Each reason and warning is shown with its meaning, remedy, start and cause', async () => {
  const real = await (await fetch(`${operationsOf(server)}/status`)).json();
  let answer = '';
  const port = createServer((_, response) => void response.end(answer));
  const { origin, close } = await listenLocally(port);
  onTestFinished(close);
  const visitor = await signedIn(portOf(origin));
  const since = '2026-01-14T14:02:11.482Z';
  const facts = {
    writes: { ...real.writes, failing_since: since, failing_reason: 'SQLITE_IOERR.' },
    database: { ...real.database, disk_free_bytes: 3_145_728 },
    backups: { ...real.backups, last_failure: { at: since, reason: 'no such folder' } },
    admin_keys: { refused: 1, last_refused_at: since },
  };
  const all = { reasons: Object.keys(REASONS), warnings: Object.keys(WARNINGS) };
  answer = JSON.stringify({ ...real, ...facts, ready: false, ...all });
  const shown = textOf((await visitor.get('/health')).text);
  for (const words of [
    ...[...HEALTH_ISSUES.values()].flatMap(({ meaning, action }) => [meaning, action]),
    'Since 14 Jan 2026, 17:02. Last reason: SQLITE_IOERR.',
    '3 MiB free.',
    '14 Jan 2026, 17:02: no such folder',
    'Refused admin keys1, the last at 14 Jan 2026, 17:02;',
  ]) {
    expect(shown).toContain(words.replaceAll('`', ''));
  }
  for (const [verdict, lists] of [
    ['Not ready.', { ready: false, reasons: ['disk_full'] }],
    ['Customers are refused.', { warnings: ['identity_provider_unavailable'] }],
    ['Working, but needs attention.', { warnings: ['of_a_newer_release'] }],
  ] as const) {
    answer = JSON.stringify({ ...real, reasons: [], ...lists });
    const { text } = await visitor.get('/health');
    expectNothingGreen(text);
    expect(textOf(text)).toContain(verdict);
  }
  for (answer of ['<html>', '{}', 'null']) {
    expect((await visitor.get('/health')).text).toContain('gave no usable response: ');
  }
});

it('The health page shows the last backup', async () => {
  const visitor = await signedIn();
  const shown = async () => textOf((await visitor.get('/health')).text);
  expect(await shown()).toContain(`Last backupnone yet; they go into ${folder}`);
  server.child.kill('SIGUSR2');
  await server.saw('"event":"backup_taken"');
  expect(await shown()).toMatch(/Last backup.+, \d min ago, [\d.]+ [KM]iB, in .+its backups/);
});

it('If the service is down, every page shows the commands to diagnose and start it', async () => {
  const visitor = await signedIn();
  await server.stop();
  const commands = [...DIAGNOSIS_COMMANDS, ...START_COMMANDS];
  for (const path of ['/', '/accounts']) {
    const { status, text } = await visitor.get(path);
    expect(status).toBe(502);
    expectNothingGreen(text);
    for (const words of ['The service does not respond.', 'gave no usable response', ...commands])
      expect(textOf(text)).toContain(words);
  }
  // The operations page has the same commands.
  const page = fileText('src/hosts/operations/RUNNING.md').replaceAll(/ \\\n +/g, ' ');
  for (const command of commands) expect(page).toContain(command);
  await service.start({ ...settings(), PORT: new URL(server.origin).port });
  expect((await visitor.get('/health')).status).toBe(200);
});
