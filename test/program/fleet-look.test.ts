// `npm run fleet`: what it prints works as it stands, a killed process is replaced, and Ctrl-C
// leaves nothing behind.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openToPostgres } from '../../scripts/fleet/postgres.js';
import { eventually } from '../support/eventually.js';
import { startProgram } from '../support/program.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const FLEET = fileURLToPath(new URL('../../scripts/fleet/fleet.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('The look at a fleet serves, outlives the end of a process, and leaves nothing behind', async () => {
  const folder = await openTemporaryFolder();
  openToPostgres(folder.path);
  const fleet = startProgram([process.execPath, FLEET], {
    environment: { PORT: '0', TMPDIR: folder.path },
  });
  try {
    const api = await fleet.saw(/The fleet runs at (\S+)/);
    const orders = async () =>
      (await fetch(`${api}/orders`, { headers: { Authorization: 'Bearer local-preview' } })).status;
    expect(await orders()).toBe(200);
    const foreign = await fetch(`${api}/health`, { headers: { Origin: 'https://evil.example' } });
    expect(foreign.status).toBe(403);
    const [, url = ''] = /DATABASE_URL='([^']+)'/.exec(fleet.output()) ?? [];
    const listed = startProgram(
      [process.execPath, 'dist/manage.js', 'fleet', '--account', 'local-preview'],
      { environment: { DATABASE_URL: url }, cwd: ROOT },
    );
    const { stdout } = await listed.ended;
    const [, holder = ''] = /held by (\S+)/.exec(stdout) ?? [];
    const [, pid = ''] =
      new RegExp(`pid (\\d+), ${holder} in the fleet`).exec(fleet.output()) ?? [];
    process.kill(Number(pid), 'SIGKILL');
    await fleet.saw('has ended (SIGKILL)');
    await eventually(async () => expect(await orders()).toBe(200));
    await fleet.saw('in the fleet', 4);
    expect(await fleet.stop('SIGINT')).toBe(0);
    const pids = [...fleet.output().matchAll(/pid (\d+)/g)].map(([, found]) => Number(found));
    expect(pids).toHaveLength(4);
    expect(pids.filter(lives)).toEqual([]);
    await expect(fetch(`${api}/health`)).rejects.toThrow();
    expect(readdirSync(folder.path)).toEqual([]);
  } finally {
    await fleet.stop('SIGTERM');
    await folder.remove();
  }
});

it('The look at a fleet that is stopped while it starts leaves nothing behind', async () => {
  const folder = await openTemporaryFolder();
  openToPostgres(folder.path);
  const fleet = startProgram([process.execPath, FLEET], {
    environment: { PORT: '0', TMPDIR: folder.path },
  });
  try {
    const pid = Number(await fleet.saw(/runs: pid (\d+)/));
    expect(await fleet.stop('SIGINT')).toBe(0);
    expect(lives(pid)).toBe(false);
    expect(readdirSync(folder.path)).toEqual([]);
  } finally {
    await fleet.stop('SIGTERM');
    await folder.remove();
  }
});
