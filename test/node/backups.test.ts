// The service's own backups, in the real process: by the clock and by SIGUSR2; and that no failure
// of theirs harms it. When they are due: storage/backup.

import { execFile } from 'node:child_process';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { SAMPLE_RECORDS } from '../../src/core/domain/sample-records.js';
import { createCustomer, nodeService } from '../support/node-service.js';
import type { LogLine, ServerProcess } from '../support/server-process.js';

const service = nodeService();
let folder: string;
/** Backups only when they are requested. */
let onDemand: Record<string, string>;

beforeEach(async () => {
  folder = service.at('backups');
  await mkdir(folder);
  onDemand = { BACKUP_DIR: folder, BACKUP_INTERVAL_HOURS: '0' };
});

function eventsOf(server: ServerProcess, event: string): LogLine[] {
  return server.log().filter((line) => line.event === event);
}

/** Requests a backup and resolves with the log event of its outcome. */
async function backUp(server: ServerProcess, outcome = 'backup_taken'): Promise<LogLine> {
  const count = eventsOf(server, outcome).length;
  server.child.kill('SIGUSR2');
  await server.saw(`"event":"${outcome}"`, count + 1);
  return eventsOf(server, outcome)[count] as LogLine;
}

const create = async (server: ServerProcess, characters = 0) =>
  (await createCustomer(server, { note: 'x'.repeat(characters) })).status;

async function recordsIn(path: unknown): Promise<unknown> {
  return (await runSql(String(path), 'select count(*) as n from records'))[0]?.['n'];
}

it('The service takes a backup at its first start, and on SIGUSR2 one with every acknowledged write', async () => {
  const server = await service.start({ BACKUP_DIR: folder });
  await server.saw('backup_taken');
  const [name = ''] = await readdir(folder);
  expect(name).toMatch(/^service-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.db$/);
  const file = join(folder, name);
  expect(eventsOf(server, 'backup_taken')).toEqual([
    {
      time: expect.any(String),
      level: 'info',
      event: 'backup_taken',
      file,
      bytes: (await stat(file)).size,
      records: SAMPLE_RECORDS.length,
      audit_events: 0,
      milliseconds: expect.any(Number),
    },
  ]);
  expect(await create(server)).toBe(201);
  const asked = await backUp(server);
  expect([asked['records'], await recordsIn(asked['file'])]).toEqual([
    SAMPLE_RECORDS.length + 1,
    SAMPLE_RECORDS.length + 1,
  ]);
  expect(await server.stop()).toBe(0);
  expect(await readdir(folder)).toHaveLength(2);
});

it('A backup whose service is killed is never completed, because the next service may be changing the file', async () => {
  const server = await service.start();
  await server.stop();
  const script = fileURLToPath(new URL('../../dist/backup-process.js', import.meta.url));
  const source = `file:${service.database}?immutable=1`;
  const [part, file] = [join(folder, 'a.part'), join(folder, 'a.db')];
  // The shell ends at once.
  const args = ['-c', '"$0" "$@" "$$" &', process.execPath, script, source, part, file];
  const { stderr } = await promisify(execFile)('sh', args);
  expect(stderr).toBe('the service that requested it has ended');
  expect(await readdir(folder)).toEqual(['a.part']);
});

it('A backup whose file cannot grow leaves no file, and no write is lost', async () => {
  const first = await service.start();
  for (let i = 0; i < 4; i++) expect(await create(first, 900_000)).toBe(201);
  await first.stop();
  // At most 2 MiB, half of the database; shells count in units of 512 or 1,024 bytes.
  const limited = ['sh', '-c', 'ulimit -f 2048 && exec "$0" "$@"'];
  const server = await service.start(onDemand, { under: limited });
  expect((await backUp(server, 'backup_failed'))['error']).toMatch(/could not take the backup /);
  expect(await readdir(folder)).toEqual([]);
  // Now the log cannot be written back, either.
  expect(await create(server, 300_000)).toBe(201);
  expect((await backUp(server, 'backup_failed'))['error']).toMatch(/could not take the backup /);
  expect(await create(server)).toBe(201);
  await server.stop('SIGKILL');
  const again = await service.start(onDemand);
  expect(await backUp(again)).toMatchObject({ records: SAMPLE_RECORDS.length + 6 });
});
