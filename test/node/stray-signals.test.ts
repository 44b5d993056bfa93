// Signals sent by mistake, and what the backup's process gets to see.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedBuild } from '../support/changed-build.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

let service: NodeService;
let folder: TemporaryFolder;

beforeEach(async () => {
  service = await openNodeService();
  folder = await openTemporaryFolder();
});
afterEach(async () => {
  await service.close();
  await folder.remove();
});

describe('A process', () => {
  it.each([
    ['SIGUSR1', 'SIGUSR2 takes a backup'],
    ['SIGHUP', 'SIGTERM stops the service'],
  ] as const)('logs for %s the signal to use instead, and continues', async (signal, hint) => {
    const server = await service.start();
    server.child.kill(signal);
    await server.saw('"event":"signal_ignored"');
    expect(server.log().at(-1)).toMatchObject({
      level: 'warn',
      signal,
      hint: expect.stringContaining(hint),
    });
    expect((await fetch(`${server.origin}/api/v1/health`)).status).toBe(200);
    expect(server.output()).not.toMatch(/debugger/i);
    expect(await server.stop()).toBe(0);
  });
});

describe("The backup's process", () => {
  it('has no setting of the service in its environment', async () => {
    const seen = join(folder.path, 'seen');
    const script = await changedBuild(
      folder.path,
      'backup-process.js',
      `import { writeFileSync } from 'node:fs';
       writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env));`,
    );
    const canary = 'canary'.padEnd(32, '-');
    const settings = { ADMIN_API_KEY: canary, AUTH_USERINFO_HEADERS: `{"apikey":"${canary}"}` };
    const backups = { BACKUP_DIR: service.folder, BACKUP_INTERVAL_HOURS: '0' };
    const server = await service.start({ ...settings, ...backups }, { script });
    server.child.kill('SIGUSR2');
    await server.saw('"event":"backup_taken"');
    const environment = await readFile(seen, 'utf8');
    expect(environment).not.toContain(canary);
    expect(Object.keys(JSON.parse(environment)).filter((name) => /_/.test(name))).toEqual([
      'SQLITE_TMPDIR',
    ]);
    await server.stop();
  });
});
