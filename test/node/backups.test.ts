// The service's own backups, on the real process: when they are taken, what
// they hold, how many are kept, and that nothing which befalls them harms it.

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { changedBuild } from '../support/changed-build.js';
import { eventually } from '../support/eventually.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
import { rawExchange, requestText } from '../support/raw-http.js';
import type { LogLine, ServerProcess } from '../support/server-process.js';

const HOUR_MS = 3_600_000;
/** A first start beside backups that the test has planted. */
const NEW = { DATABASE_CREATE: 'yes' };
const NAME = /^service-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.db$/;

let service: NodeService;
let folder: string;
/** Backups only when they are asked for. */
let onDemand: Record<string, string>;

beforeEach(async () => {
  service = await openNodeService();
  folder = join(service.folder, 'backups');
  await mkdir(folder);
  onDemand = { BACKUP_DIR: folder, BACKUP_INTERVAL_HOURS: '0' };
});
afterEach(() => service.close());

function eventsOf(server: ServerProcess, event: string): LogLine[] {
  return server.log().filter((line) => line.event === event);
}

/** Asks for a backup and resolves with the log event of its outcome. */
async function backUp(server: ServerProcess, outcome = 'backup_taken'): Promise<LogLine> {
  const count = eventsOf(server, outcome).length;
  server.child.kill('SIGUSR2');
  await server.saw(outcome, count + 1);
  return eventsOf(server, outcome)[count] as LogLine;
}

async function create(server: ServerProcess, note = ''): Promise<number | undefined> {
  const body = JSON.stringify({ name: 'Neema', phone: '1', note });
  const head = [bearer('backups'), 'Connection: close'];
  const creation = requestText('POST', '/api/v1/customers', head, body);
  return (await rawExchange(server.origin, creation))[0]?.status;
}

async function recordsIn(path: string): Promise<unknown> {
  return (await runSql(path, 'select count(*) as n from records'))[0]?.['n'];
}

/** An empty file that is called like the backup of so many hours ago. */
async function plant(hoursAgo: number): Promise<string> {
  const time = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString().replaceAll(':', '-');
  await writeFile(join(folder, `service-${time}.db`), '');
  return `service-${time}.db`;
}

describe('The service', () => {
  it('takes a backup at its first start, named by its time, and logs it', async () => {
    const server = await service.start({ BACKUP_DIR: folder });
    await server.saw('backup_taken');
    const [name = ''] = await readdir(folder);
    expect(name).toMatch(NAME);
    const file = join(folder, name);
    expect(eventsOf(server, 'backup_taken')).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        event: 'backup_taken',
        file,
        bytes: (await stat(file)).size,
        records: SAMPLE_COUNT,
        audit_events: 0,
        milliseconds: expect.any(Number),
      },
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await server.stop();
    expect(await readdir(folder)).toEqual([name]);
  });

  it('keeps the interval across restarts, by the newest backup', async () => {
    const recent = await plant(23);
    const early = await service.start({ BACKUP_DIR: folder, ...NEW });
    // One that is asked for comes after the look at the start.
    await backUp(early);
    expect(eventsOf(early, 'backup_taken')).toHaveLength(1);
    await early.stop();
    for (const name of await readdir(folder)) await rename(join(folder, name), `${folder}.${name}`);
    await rename(`${folder}.${recent}`, join(folder, await plant(25)));
    const late = await service.start({ BACKUP_DIR: folder });
    await late.saw('backup_taken');
    await late.stop();
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('takes a backup when the newest has a future time, and keeps that one', async () => {
    const wrong = [await plant(-9000), await plant(-9001)];
    const server = await service.start({ BACKUP_DIR: folder, BACKUP_KEEP: '2', ...NEW });
    await server.saw('backup_taken');
    await server.stop();
    const left = await readdir(folder);
    expect(left).toHaveLength(2);
    expect(left).toContain(wrong[1]);
  });

  it('keeps the set number, and does not touch other files', async () => {
    const old = [await plant(100), await plant(90)];
    const others = ['service.db', 'notes.txt', 'other-2026-01-01T00-00-00.000Z.db'];
    for (const name of others) await writeFile(join(folder, name), name);
    // The file of a process that was killed during a backup.
    const left = [`${await plant(80)}.part`, `${old[0]}.part-journal`];
    for (const name of left) await writeFile(join(folder, name), name);
    const server = await service.start({ ...onDemand, BACKUP_KEEP: '3', ...NEW });
    await backUp(server);
    await backUp(server);
    await server.stop();
    const names = await readdir(folder);
    expect(names).toEqual(expect.arrayContaining(others));
    expect(names).toHaveLength(others.length + 3);
    for (const name of [...old, ...left]) expect(names).not.toContain(name);
  });

  it('never removes a backup that holds much more than those after it, and says so', async () => {
    const server = await service.start({ ...onDemand, BACKUP_KEEP: '1', OPS_PORT: '0' });
    for (let more = 0; more < SAMPLE_COUNT; more++) await create(server);
    const good = await backUp(server);
    await server.stop();
    await rm(join(service.folder, 'service.db'));
    const empty = await service.start({ ...onDemand, BACKUP_KEEP: '1', OPS_PORT: '0', ...NEW });
    await backUp(empty);
    await backUp(empty);
    expect(eventsOf(empty, 'backup_held_back')).toEqual([
      expect.objectContaining({
        level: 'warn',
        files: good['file'],
        records: String(2 * SAMPLE_COUNT),
      }),
    ]);
    expect(await readdir(folder)).toHaveLength(2);
    expect(await recordsIn(String(good['file']))).toBe(2 * SAMPLE_COUNT);
    const ready = await (await fetch(`${operationsOf(empty)}/ready`)).json();
    expect(ready).toMatchObject({ ready: true, warnings: ['backup_held_back'] });
  });

  it('has in a backup every write that was acknowledged before SIGUSR2', async () => {
    const server = await service.start(onDemand);
    for (let round = 1; round <= 2; round++) {
      expect(await create(server)).toBe(201);
      const { file, records } = await backUp(server);
      expect(records).toBe(SAMPLE_COUNT + round);
      expect(await recordsIn(String(file))).toBe(records);
    }
    await server.stop();
  });

  it('takes one more backup for any number of SIGUSR2 during a backup', async () => {
    const [begun, gate] = [join(service.folder, 'begun'), join(service.folder, 'gate')];
    const script = await changedBuild(
      service.folder,
      'backup-process.js',
      `import { appendFileSync, existsSync } from 'node:fs';
       appendFileSync(${JSON.stringify(begun)}, '.');
       while (!existsSync(${JSON.stringify(gate)})) await new Promise((then) => setTimeout(then, 5));`,
    );
    const server = await service.start(onDemand, { script });
    server.child.kill('SIGUSR2');
    await eventually(async () => expect(await readFile(begun, 'utf8')).not.toBe(''));
    // Answers in between say that the signals have come. More than what the log takes
    // before it is written back into the file, were that not being copied.
    for (let i = 0; i < 6; i++) {
      server.child.kill('SIGUSR2');
      expect(await create(server, 'x'.repeat(900_000))).toBe(201);
    }
    await writeFile(gate, '');
    await server.saw('backup_taken', 2);
    await server.stop();
    expect(eventsOf(server, 'backup_taken').map(({ records }) => records)).toEqual([
      SAMPLE_COUNT,
      SAMPLE_COUNT + 6,
    ]);
    expect(await readFile(begun, 'utf8')).toBe('..');
  });

  it('logs on SIGUSR2 that no folder is set, and continues', async () => {
    const server = await service.start();
    const line = await backUp(server, 'backup_not_configured');
    expect(line).toMatchObject({ level: 'warn', hint: 'no backup is taken; set BACKUP_DIR' });
    expect(await create(server)).toBe(201);
    expect(await server.stop()).toBe(0);
  });

  it('logs that the folder is missing, continues, and uses the folder when it is back', async () => {
    await rename(folder, `${folder}-away`);
    const server = await service.start({ BACKUP_DIR: folder });
    await server.saw('backup_failed');
    expect(eventsOf(server, 'backup_failed')).toEqual([
      {
        time: expect.any(String),
        level: 'error',
        event: 'backup_failed',
        error: `the folder of the backups ${folder} cannot be used: it is not there; make it, or mount its disk`,
      },
    ]);
    expect(await create(server)).toBe(201);
    await rename(`${folder}-away`, folder);
    expect(await backUp(server)).toMatchObject({ records: SAMPLE_COUNT + 1 });
    await rename(folder, `${folder}-away`);
    await backUp(server, 'backup_failed');
    expect(await create(server)).toBe(201);
    expect(await server.stop()).toBe(0);
  });

  it('breaks a backup off at a stop, and leaves no file of it', async () => {
    // It copies and checks, but never says that it has checked.
    const script = await changedBuild(
      service.folder,
      'backup-process.js',
      `const send = process.send;
       process.send = (message, then) => message.copied && send.call(process, message, then);`,
    );
    const server = await service.start(onDemand, { script });
    server.child.kill('SIGUSR2');
    await eventually(async () => expect((await readdir(folder)).join()).toContain('.part'));
    // A stop that waited for the backup would be ended with code 1.
    expect(await server.stop()).toBe(0);
    expect(await readdir(folder)).toEqual([]);
    const events = server.log().map(({ event }) => event);
    // The question to the provider is answered when it is answered.
    expect(events.filter((event) => event !== 'identity_provider_asked')).toEqual([
      'database_created',
      'started',
      'stopping',
      'backup_broken_off',
      'stopped',
    ]);
  });
});

describe('A backup that fails', () => {
  it.each([
    ['whose process dies', 'process.exit(7);', 'its process ended before it was done'],
    [
      'during which the database file is written',
      `import { utimesSync } from 'node:fs';
       utimesSync(process.argv[2], new Date(), new Date());`,
      'the database file was written to while it was copied',
    ],
    [
      'which has lost a record',
      `const send = process.send;
       process.send = (message, then) => {
         if (message.contents) message.contents.recordCount -= 1;
         return send.call(process, message, then);
       };`,
      `it has ${SAMPLE_COUNT - 1} records where the database has ${SAMPLE_COUNT}`,
    ],
  ])('and %s leaves no file, and the service continues', async (_what, code, reason) => {
    const script = await changedBuild(service.folder, 'backup-process.js', code);
    const server = await service.start(onDemand, { script });
    const { error } = await backUp(server, 'backup_failed');
    expect(error).toMatch(/^the backup .*\.db cannot be taken: /);
    expect(error).toContain(reason);
    expect(await readdir(folder)).toEqual([]);
    expect(await create(server)).toBe(201);
    expect(await server.stop()).toBe(0);
  });

  it('because its file cannot grow leaves no file, and loses no write', async () => {
    const first = await service.start();
    for (let i = 0; i < 4; i++) expect(await create(first, 'x'.repeat(900_000))).toBe(201);
    await first.stop();
    // Two MiB at most, half of the database; a shell counts in half or whole KiB.
    const limited = ['sh', '-c', 'ulimit -f 2048 && exec "$0" "$@"'];
    const server = await service.start(onDemand, { under: limited });
    const copying = await backUp(server, 'backup_failed');
    expect(copying['error']).toMatch(/may not write so large a file/);
    expect(await readdir(folder)).toEqual([]);
    // Now the log beside the database cannot be written back, either.
    expect(await create(server, 'x'.repeat(300_000))).toBe(201);
    const freezing = await backUp(server, 'backup_failed');
    expect(freezing['error']).toMatch(/cannot be taken: /);
    expect(await readdir(folder)).toEqual([]);
    expect(await create(server)).toBe(201);
    server.child.kill('SIGKILL');
    await server.exited;
    const again = await service.start(onDemand);
    expect(await backUp(again)).toMatchObject({ records: SAMPLE_COUNT + 6 });
    await again.stop();
  });
});
