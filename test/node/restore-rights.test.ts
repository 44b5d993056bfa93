// A restore, and an erasure, by the superuser: in another user's folder, whose files the service must be
// able to read, they are refused.

import { chown, readdir, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { addToLedger } from '../../src/storage/erasures/ledger.js';
import { openRestoration } from '../support/restoration.js';
import { testFolder } from '../support/test-folder.js';

/** The user `nobody`, or no user at all: a number is enough. */
const SERVICE = 65_534;
const RUN_AS = `belongs to another user; run it as that user: runuser -u "$(id -un 65534)" -- COMMAND`;
const itIsSuperuser = it.runIf(process.getuid?.() === 0);

const folder = testFolder();

itIsSuperuser("The superuser restores no backup in another user's folder", async () => {
  const on = await openRestoration();
  try {
    expect((await on.restore([on.backup])).code).toBe(0);
    await chown(on.service.folder, SERVICE, SERVICE);
    const before = await stat(on.database);
    const { code, stderr } = await on.restore([on.backup]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(RUN_AS)]);
    expect(await stat(on.database)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  } finally {
    await on.close();
  }
});

itIsSuperuser("The superuser adds to no ledger in another user's folder", async () => {
  await chown(folder.path, SERVICE, SERVICE);
  const line = { subject: 'a', erased: '2026-02-01T00:00:00.000Z' };
  await expect(addToLedger(folder.at('ledger'), line)).rejects.toThrow(RUN_AS);
  expect(await readdir(folder.path)).toEqual([]);
});
