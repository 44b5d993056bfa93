// The console when the service is not well: what it says of a full disk, an identity provider
// that is away, a service that is dead, and a wrong key; nothing is green then.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { REASONS, WARNINGS } from '../../src/hosts/operations/troubles.js';
import { LOOK_COMMANDS } from '../../src/tools/console/commands.js';
import { buildWithFailingWrites } from '../support/changed-build.js';
import { ADMIN_KEY, type OpenConsole, openConsole, plainText } from '../support/console-visitor.js';
import { eventually } from '../support/eventually.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
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

/** Both pages about the service, as an operator reads them, in front of that server. */
async function pagesOf(server: ServerProcess, environment: Record<string, string> = {}) {
  running = await openConsole({
    SERVICE_URL: `${server.origin}/api/v1`,
    CONSOLE_OPS_URL: operationsOf(server),
    ...environment,
  });
  const visitor = await running.signedIn();
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

function expectNothingGreen(html: string): void {
  expect(html).not.toMatch(/class="[^"]*\bgood\b/);
  expect(textOf(html)).not.toContain('is well.');
}

it('A service that is well is called so, in green', async () => {
  const server = await service.start({ ...SETTINGS, BACKUP_DIR: service.folder });
  for (const page of await pagesOf(server)) {
    expect(page).toContain('<div class="notice good" role="status"><strong>The service is well.');
  }
});

it('Without the operations port nobody is told that the service is well', async () => {
  const server = await service.start(SETTINGS);
  for (const page of await pagesOf(server, { CONSOLE_OPS_URL: '' })) {
    expectNothingGreen(page);
    expect(textOf(page)).toContain('is shown when CONSOLE_OPS_URL names its operations port');
  }
  await running?.close();
  for (const page of await pagesOf(server, { CONSOLE_OPS_URL: 'http://127.0.0.1:1' })) {
    expectNothingGreen(page);
    expect(textOf(page)).toContain('Whether it is well is not known. The operations port');
  }
});

it('While the provider is away customers are refused, since when, and what to do is said', async () => {
  const server = await service.start({ ...SETTINGS, BACKUP_DIR: service.folder });
  await service.identity.close();
  const asked = await fetch(`${server.origin}/api/v1/customers`, {
    headers: { Authorization: 'Bearer x' },
  });
  expect(asked.status).toBe(503);
  for (const page of await pagesOf(server)) {
    expectNothingGreen(page);
    expect(page).toContain('<div class="notice bad" role="alert"><strong>Customers are refused.');
    const text = textOf(page);
    for (const sentence of withoutTicks(WARNINGS.identity_provider_unavailable)) {
      expect(text).toContain(sentence);
    }
    expect(text).toMatch(/Since \d+ \w+ \d{4}, \d\d:\d\d\./);
  }
});

it.skipIf(MOUNTS === undefined)('A full disk is nowhere green, with its sentence', async () => {
  const mount = 'mount -t tmpfs -o size=3000000 tmpfs "$0" && exec "$@"';
  const under = [...(MOUNTS ?? []), 'sh', '-c', mount, service.folder];
  const server = await service.start(SETTINGS, { under });
  for (const page of await pagesOf(server)) {
    expectNothingGreen(page);
    const text = textOf(page);
    expect(text).toContain('The service is not ready.');
    for (const sentence of withoutTicks(REASONS.disk_full)) expect(text).toContain(sentence);
    expect(text).toMatch(/[\d.]+ MiB are free\./);
  }
});

it('While writes fail the page says since when and why', async () => {
  const fault = join(service.folder, 'fault');
  const server = await service.start(SETTINGS, {
    script: await buildWithFailingWrites(service.folder, fault),
  });
  await writeFile(fault, '');
  const headers = { 'X-Service-Admin-Key': ADMIN_KEY };
  const url = `${server.origin}/api/v1/admin/accounts/shop/customers`;
  const body = JSON.stringify({ name: 'A', phone: '1' });
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(500);
  for (const page of await pagesOf(server)) {
    expectNothingGreen(page);
    const text = textOf(page);
    expect(text).toContain('The service is not ready.');
    for (const sentence of withoutTicks(REASONS.writes_failing)) expect(text).toContain(sentence);
    expect(text).toMatch(
      /Since \d+ \w+ \d{4}, \d\d:\d\d\. The last reason: SQLITE_IOERR: disk I\/O error\./,
    );
  }
});

it('A backup that fails says when and why', async () => {
  const folder = join(service.folder, 'backups');
  await writeFile(folder, 'no folder');
  const server = await service.start({ ...SETTINGS, BACKUP_DIR: folder });
  await server.saw('"event":"backup_failed"');
  for (const page of await pagesOf(server)) {
    expectNothingGreen(page);
    expect(textOf(page)).toMatch(/The last backup failed, or .+ At .+: the folder of the .+\./);
  }
});

it('A warning of which nothing more is known has its sentence and what to do', async () => {
  const server = await service.start(SETTINGS);
  for (const page of await pagesOf(server)) {
    const text = textOf(page);
    for (const sentence of withoutTicks(WARNINGS.backup_not_configured)) {
      expect(text).toContain(sentence);
    }
    expect(page).not.toMatch(/<strong>\s*<\/strong>/);
  }
});

describe('A service that is dead', () => {
  it('has its last figures, since when, and the commands to look with, on every page', async () => {
    const server = await service.start({ ...SETTINGS, BACKUP_DIR: service.folder });
    await server.saw('"event":"backup_taken"');
    const [overview = ''] = await pagesOf(server);
    expect(overview).toContain('The service is well');
    await server.stop();
    const visitor = await running?.signedIn();
    for (const path of ['/', '/health', '/accounts', '/audit']) {
      const visit = await visitor?.get(path);
      expect(visit?.status).toBe(502);
      const html = visit?.text ?? '';
      expectNothingGreen(html);
      const text = textOf(html);
      expect(text).toContain('The service does not answer.');
      expect(text).toMatch(/It answered last at \d+ \w+ \d{4}, \d\d:\d\d, \d+ s ago\./);
      expect(text).toContain('Its operations port is silent, too');
      for (const command of LOOK_COMMANDS) expect(text).toContain(command);
      expect(text).toContain(`Records${SAMPLE_COUNT}`);
      // Its backups as they were, with the command; nothing can be asked for now.
      expect(text).toMatch(/service-\S+\.db/);
      expect(text).toContain('service-management restore');
      expect(html).not.toContain('Back up now');
      expect(text).toContain('CONSOLE_TIME_ZONE');
    }
  });

  it('that this console has never seen is said to be so', async () => {
    running = await openConsole({ SERVICE_URL: 'http://127.0.0.1:1/api/v1' });
    const text = textOf((await (await running.signedIn()).get('/')).text);
    expect(text).toContain('It has not answered since this console was started at');
    for (const command of LOOK_COMMANDS) expect(text).toContain(command);
  });

  it('comes back on the same page', async () => {
    const server = await service.start(SETTINGS);
    await pagesOf(server);
    await server.stop();
    const visitor = await running?.signedIn();
    expect((await visitor?.get('/health'))?.status).toBe(502);
    await service.start({ ...SETTINGS, PORT: new URL(server.origin).port });
    expect((await visitor?.get('/health'))?.status).toBe(200);
  });
});

describe('At its start the console says in its log', () => {
  it.each([
    ['a wrong key', { ADMIN_API_KEY: 'another-key-of-32-characters-or-more' }, 'refused the admin'],
    ['another address', {}, 'no administration API. SERVICE_URL is'],
  ])('%s', async (name, environment, sentence) => {
    const server = await service.start(SETTINGS);
    const path = name === 'another address' ? '' : '/api/v1';
    running = await openConsole({ SERVICE_URL: server.origin + path, ...environment });
    await eventually(async () => expect(running?.log()).toContain(sentence));
    expect(running.log()).toContain('"event":"console_service_not_usable"');
    expect(running.log()).not.toContain('another-key');
  });

  it('nothing where the key is right', async () => {
    const server = await service.start(SETTINGS);
    await pagesOf(server);
    expect(running?.log()).not.toContain('not_usable');
  });
});

it('The file that goes while the service runs is said on both pages', async () => {
  const server = await service.start(SETTINGS);
  await rm(join(service.folder, 'service.db'));
  await server.saw('"event":"database_saved"');
  for (const page of await pagesOf(server)) {
    expectNothingGreen(page);
    for (const sentence of withoutTicks(REASONS.storage_lost)) {
      expect(textOf(page)).toContain(sentence);
    }
  }
});
