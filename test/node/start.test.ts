// How the process starts, or does not: settings and files that cannot be used
// end it with exit code 1 and one line for the operator.

import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.js';
import { onLoopback } from '../support/loopback.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import type { Environment } from '../support/program.js';
import { type LogLine, spawnServer } from '../support/server-process.js';

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

/** The log line of a start that must fail, beside a new database's own. Throws when it is not one JSON line, or when the exit code is not 1. */
async function refusedStart(environment: Environment): Promise<LogLine> {
  const { exited, log } = spawnServer({ ...service.environment, ...environment });
  expect(await exited).toBe(1);
  const lines = log().filter(({ event }) => event !== 'database_created');
  expect(lines).toHaveLength(1);
  const [line] = lines;
  expect(line).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: 'error',
    event: 'start_failed',
    error: expect.any(String),
  });
  // One sentence: no stack trace, no place in the code.
  expect(line?.['error']).not.toMatch(/\n|\bat .*:\d+|\.js\b/);
  return line as LogLine;
}

describe('A start', () => {
  it.each([
    ['PORT', 'canary', 'PORT is "canary"; it must be a whole number from 0 to 65535'],
    ['AUTH_USERINFO_HEADERS', '{"apikey":hush}', 'AUTH_USERINFO_HEADERS is (hidden); it must be'],
    ['DATABASE_URL', 'wss://u:hush@x', 'one process owns the file'],
  ])('ends with one line when %s is %s', async (name, text, sentence) => {
    const { error } = await refusedStart({ [name]: text, ADMIN_API_KEY: 'hush'.padEnd(32, '-') });
    expect(error).toContain(sentence);
    expect(error).not.toContain('hush');
    expect(await readdir(service.folder)).toEqual([]);
  });

  it('ends with one line, and no backup, when another program has the port', async () => {
    const { port, close } = await onLoopback(createServer());
    const BACKUP_DIR = join(service.folder, 'backups');
    await mkdir(BACKUP_DIR);
    const { error } = await refusedStart({ PORT: String(port), BACKUP_DIR });
    expect(error).toBe(
      `the service cannot listen on 127.0.0.1:${port}: this port is in use; set PORT to a free one`,
    );
    await close();
  });

  it('ends with one line, and the file untouched, when the file is not a database', async () => {
    const path = join(service.folder, 'notes.txt');
    await writeFile(path, 'not a database at all'.repeat(100));
    const { error } = await refusedStart({ DATABASE_URL: `file:${path}` });
    expect(error).toBe(
      `the database file ${path} cannot be used: it is not a SQLite database; name another file or restore a backup`,
    );
    expect((await stat(path)).size).toBe(2_100);
  });

  it('is refused after the busy time-out when another process serves the file', async () => {
    const first = await service.start();
    const startedAt = performance.now();
    const { error } = await refusedStart({});
    expect(error).toContain('another process holds it (waited 5 s)');
    expect(performance.now() - startedAt).toBeGreaterThan(4_500);
    expect((await fetch(`${first.origin}/api/v1/health`)).status).toBe(200);
    expect(await first.stop()).toBe(0);
  });

  it('starts, and warns of a missing identity provider and of a short admin key', async () => {
    const server = await service.start({ AUTH_USERINFO_URL: '', ADMIN_API_KEY: 'hush' });
    expect(server.log().map(({ level, event }) => [level, event])).toEqual([
      ['warn', 'identity_provider_not_configured'],
      ['warn', 'admin_key_too_short'],
      ['warn', 'database_created'],
      ['info', 'started'],
    ]);
    expect(server.output()).not.toContain('hush');
  });

  it('says that the process before it was killed, and nothing after a stop', async () => {
    const killed = await service.start();
    killed.child.kill('SIGKILL');
    await killed.exited;
    const event = 'previous_process_killed';
    const next = await service.start();
    expect(next.log()).toContainEqual(expect.objectContaining({ level: 'warn', event }));
    await next.stop();
    expect((await service.start()).output()).not.toContain(event);
  });

  it.each([
    ['127.0.0.1', {}] as const,
    // Only Linux has the whole of 127.0.0.0/8.
    ...(process.platform === 'linux' ? [['127.0.0.2', { HOST: '127.0.0.2' }] as const] : []),
  ])('listens on %s and on no other address', async (address, environment) => {
    const elsewhere = address === '127.0.0.1' ? '127.0.0.2' : '127.0.0.1';
    // A listener on every address could not have the port that this one has on another address.
    const port = await freePort();
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(port, elsewhere, resolve));
    const server = await service.start({ ...environment, PORT: String(port) });
    holder.close();
    expect(server.origin).toBe(`http://${address}:${port}`);
    expect((await fetch(`${server.origin}/api/v1/health`)).status).toBe(200);
  });

  it('creates the folder and the file for its own user only', async () => {
    const folder = join(service.folder, 'new');
    const server = await service.start({ DATABASE_URL: `file:${folder}/deep/service.db` });
    const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect(await mode(folder)).toBe('700');
    expect(await mode(join(folder, 'deep'))).toBe('700');
    const files = await readdir(join(folder, 'deep'));
    expect(files).toContain('service.db');
    for (const file of files) expect(await mode(join(folder, 'deep', file))).toBe('600');
    await server.stop();
  });
});
