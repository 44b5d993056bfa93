// One import of a file at a time: a lock file with the holder's process id stands beside
// the journal. The lock of a killed import is taken over.

import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { CommandError, systemCodeOf } from '../failures.js';

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** Resolves with the function that releases the lock. Rejects with a `CommandError` while another process holds it. */
export async function lock(path: string, file: string): Promise<() => Promise<void>> {
  const own: Holder = { pid: process.pid, host: hostname() };
  const mine = `${path}.${process.pid}`;
  try {
    await writeFile(mine, JSON.stringify(own), { mode: 0o600 });
    for (;;) {
      // The whole file gets its name at once, so that no process reads half a lock.
      const isTaken = await link(mine, path).then(
        () => false,
        (error: unknown) => {
          if (systemCodeOf(error) === 'EEXIST') return true;
          throw error;
        },
      );
      if (!isTaken) return () => rm(path, { force: true });
      await takeAway(path, own, file);
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `the lock ${path} cannot be written (${systemCodeOf(error)}); the journal of an import stands beside its file, so copy ${file} to a folder that can be written`,
    );
  } finally {
    await rm(mine, { force: true });
  }
}

/** Moves aside a lock whose holder is gone. If another process was quicker, its lock is put back. */
async function takeAway(path: string, own: Holder, file: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const holder: Holder = JSON.parse(text);
  if (holder.host !== own.host) {
    throw new CommandError(
      `an import of ${file} runs on ${holder.host} (process ${holder.pid}); if it does not any more, remove ${path}`,
    );
  }
  if (holder.pid !== own.pid && isRunning(holder.pid)) {
    throw new CommandError(
      `another import of ${file} is under way (process ${holder.pid}); wait for it, or end it, then run this again`,
    );
  }
  const aside = `${path}.${own.pid}.old`;
  await rename(path, aside).catch(() => {});
  const moved = await readFile(aside, 'utf8').catch(() => text);
  if (moved !== text) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}
