// A full disk that gets a little room: the log that fills it is reused, without a restart.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VALID_BODY } from '../../support/collection-table.js';
import { openIdentityStub, tokenOf } from '../../support/identity-stub.js';
import { privateMounts } from '../../support/private-mounts.js';
import { startServer } from '../../support/server-process.js';
import { testFolder } from '../../support/test-folder.js';

/** Less than the log may grow to before SQLite writes it back by itself (1,000 pages). */
const [DISK_BYTES, BALLAST_BYTES] = [1_500_000, 600_000];
/** Characters that each change replaces: 24 pages of the log. */
const NOTE_LENGTH = 96_000;
/** Changes whose log would take twice the disk. */
const CHANGES = 33;

const MOUNTS = privateMounts();
const folder = testFolder();

it.skipIf(MOUNTS === undefined)(
  'A log that fills the disk is used again once there is a little room',
  async () => {
    const identity = await openIdentityStub();
    const ballast = folder.at('ballast');
    const mount = `mount -t tmpfs -o size=${DISK_BYTES} tmpfs "$0" && head -c ${BALLAST_BYTES} /dev/zero > ${ballast} && exec "$@"`;
    const server = await startServer(
      { DATABASE_URL: `file:${folder.path}/service.db`, AUTH_USERINFO_URL: identity.url },
      { under: [...(MOUNTS ?? []), 'sh', '-c', mount, folder.path] },
    );
    try {
      const ask = async (method: string, path: string, body: object) => {
        const response = await fetch(`${server.origin}/api/v1${path}`, {
          method,
          headers: { Authorization: `Bearer ${tokenOf('amina')}` },
          body: JSON.stringify(body),
        });
        return { status: response.status, id: (await response.json()).data?.id };
      };
      const { id } = await ask('POST', '/team', VALID_BODY.team);
      const change = async (number: number) => {
        const note = String.fromCharCode(97 + (number % 26)).repeat(NOTE_LENGTH);
        return (await ask('PATCH', `/team/${id}`, { note })).status;
      };
      let number = 0;
      while (number < CHANGES && (await change(number)) === 200) number++;
      expect(number).toBeLessThan(CHANGES);
      expect(await change(number)).toBe(500);
      rmSync(join('/proc', String(server.child.pid), 'root', ballast));
      const statuses = new Set<number>();
      for (let more = 0; more < CHANGES; more++) statuses.add(await change(number + more));
      expect([...statuses]).toEqual([200]);
    } finally {
      await server.stop();
      await identity.close();
    }
  },
);
