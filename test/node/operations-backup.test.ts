// A backup that is asked for over the operations port, and the count of refused admin keys,
// on the built server.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { Metrics, operationsOf } from '../support/operations.js';

const KEY = 'the-operators-key-of-the-backup-tests';
const SETTINGS = { OPS_PORT: '0', ADMIN_API_KEY: KEY };

let service: NodeService;
let onDemand: Record<string, string>;

beforeEach(async () => {
  service = await openNodeService();
  const BACKUP_DIR = join(service.folder, 'backups');
  await mkdir(BACKUP_DIR);
  onDemand = { ...SETTINGS, BACKUP_DIR, BACKUP_INTERVAL_HOURS: '0' };
});
afterEach(() => service.close());

async function ask(operations: string, key?: string, method = 'POST') {
  const headers = key === undefined ? {} : { 'X-Service-Admin-Key': key };
  const response = await fetch(`${operations}/backup`, { method, headers });
  return { status: response.status, text: await response.text() };
}

describe('POST /backup', () => {
  it('takes a backup for who has the admin key, and for nobody else', async () => {
    const server = await service.start(onDemand);
    const operations = operationsOf(server);
    for (const key of [undefined, '', 'a-guess', `${KEY}x`]) {
      expect((await ask(operations, key)).status).toBe(401);
    }
    expect((await ask(operations, KEY, 'GET')).status).toBe(405);
    expect(await ask(operations, KEY)).toEqual({ status: 202, text: '{"begun":true}\n' });
    await server.saw('"event":"backup_taken"');
    const metrics = await Metrics.of(operations);
    expect(metrics.total('service_backups_total', { result: 'taken' })).toBe(1);
    expect(server.output()).not.toContain(KEY);
  });

  it('is refused with its reason where no folder or no key is set', async () => {
    const without = await service.start(SETTINGS);
    const refused = await ask(operationsOf(without), KEY);
    expect(refused).toEqual({
      status: 409,
      text: '{"error":"no backup is taken; set BACKUP_DIR"}\n',
    });
    await without.stop();
    const keyless = await service.start({ ...onDemand, ADMIN_API_KEY: '' });
    expect((await ask(operationsOf(keyless), '')).status).toBe(401);
  });
});

it('A start says that no backup can be put into the folder, also where none is taken by the clock', async () => {
  const BACKUP_DIR = join(service.folder, 'not-mounted');
  const server = await service.start({ ...onDemand, BACKUP_DIR });
  await server.saw('"event":"backup_failed"');
  const failed = server.log().filter(({ event }) => event === 'backup_failed');
  expect(failed).toEqual([
    expect.objectContaining({
      level: 'error',
      error: `the folder of the backups ${BACKUP_DIR} cannot be used: it is not there; make it, or mount its disk`,
    }),
  ]);
  const operations = operationsOf(server);
  const ready = async () => (await fetch(`${operations}/ready`)).json();
  expect(await ready()).toMatchObject({ ready: true, warnings: ['backup_failed'] });
  await mkdir(BACKUP_DIR);
  await ask(operations, KEY);
  await server.saw('"event":"backup_taken"');
  expect(await ready()).toMatchObject({ ready: true, warnings: [] });
});

it('Refused admin keys of both ports are counted, and the newest are told', async () => {
  const server = await service.start(onDemand);
  const operations = operationsOf(server);
  const refusals = async () => (await (await fetch(`${operations}/status`)).json()).admin_keys;
  expect(await refusals()).toEqual({ refused: 0, newest: [] });
  const send = (headers: Record<string, string>) =>
    fetch(`${server.origin}/api/v1/admin/usage`, { headers });
  // Without a key nobody has guessed.
  expect((await send({})).status).toBe(401);
  expect((await send({ 'X-Service-Admin-Key': KEY })).status).toBe(200);
  for (let guess = 0; guess < 3; guess++) {
    expect((await send({ 'X-Service-Admin-Key': `guess ${guess}` })).status).toBe(401);
  }
  await ask(operations, 'one more');
  const told = await refusals();
  expect(told.refused).toBe(4);
  expect(told.newest.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(4);
  expect(Math.abs(Date.parse(told.newest[0].to) - Date.now())).toBeLessThan(600_000);
  const metrics = await Metrics.of(operations);
  expect(metrics.total('service_admin_keys_refused_total')).toBe(4);
});
