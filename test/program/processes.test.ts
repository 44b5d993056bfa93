// `npm run processes`: what it prints works as printed, a killed process is replaced, and Ctrl-C
// leaves nothing behind.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openToPostgres } from '../../scripts/processes/postgres.js';
import { startProgram } from '../support/program.js';
import { testFolder } from '../support/test-folder.js';

const SCRIPT = fileURLToPath(new URL('../../scripts/processes/processes.js', import.meta.url));

const folder = testFolder();
let processes: ReturnType<typeof startProgram>;

beforeEach(() => {
  openToPostgres(folder.path);
  processes = startProgram([process.execPath, SCRIPT], {
    environment: { PORT: '0', TMPDIR: folder.path },
  });
});

afterEach(async () => void (await processes.stop('SIGTERM')));

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('The processes over Postgres keep serving while one is killed, and leave nothing behind', async () => {
  const api = await processes.saw(/The service runs at (\S+)/);
  const orders = async () =>
    (await fetch(`${api}/orders`, { headers: { Authorization: 'Bearer local-preview' } })).status;
  const foreign = await fetch(`${api}/health`, { headers: { Origin: 'https://evil.example' } });
  expect(foreign.status).toBe(403);
  const pid = Number(/^kill -9 (\d+)$/m.exec(processes.output())?.[1]);
  process.kill(pid, 'SIGKILL');
  await processes.saw('ended (SIGKILL)');
  expect(await orders()).toBe(200);
  await processes.saw('runs: pid', 3);
  expect(await processes.stop('SIGINT')).toBe(0);
  const pids = [...processes.output().matchAll(/pid (\d+)/g)].map(([, found]) => Number(found));
  expect(pids.filter(lives)).toEqual([]);
  await expect(fetch(`${api}/health`)).rejects.toThrow();
  expect(readdirSync(folder.path)).toEqual([]);
});
