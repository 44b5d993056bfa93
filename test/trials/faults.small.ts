// A small version of the trial `faults`.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { tracerIsMissing } from './disk/trace.js';
import { faultsOf } from './faults.js';
import { spawnService } from './service/service-process.js';
import { openStored } from './service/stored.js';

/** The syncs matter most: only a sync makes a commit durable. */
const CALLS = ['fsync', 'fdatasync'];
const COUNT = 8;
const TIMEOUT_MS = 120_000;

describe.runIf(tracerIsMissing() === undefined)('A failed sync', () => {
  it(
    'leaves memory and file the same, whatever comes next',
    async () => {
      const folder = await openTemporaryFolder();
      const told: string[] = [];
      const say = (text: string) => void told.push(text);
      const options = {
        folder: folder.path,
        say,
        quick: true,
        only: '',
        count: COUNT,
        calls: CALLS,
      };
      const findings = await faultsOf(options).finally(folder.remove);
      for (const finding of findings) {
        expect(finding, told.join('\n')).toMatchObject({ holds: true });
      }
      expect(findings).toHaveLength(2);
    },
    TIMEOUT_MS,
  );
});

describe.runIf(tracerIsMissing() === undefined)(
  'A failed write of the mark next to the file',
  () => {
    it.each([
      ['in use', 1],
      ['closed', 2],
    ])(
      'to "%s" does not keep the next start from the file',
      async (_, nth) => {
        const folder = await openTemporaryFolder();
        const file = join(folder.path, 'data/service.db');
        mkdirSync(join(folder.path, 'data'));
        const trace = join(folder.path, 'trace');
        const strace = ['strace', '-D', '-f', '-qq', '-o', trace, '-P', `${file}-state`];
        const service = spawnService({
          file,
          identityOrigin: 'http://127.0.0.1:9',
          under: [...strace, '-e', `inject=pwrite64:error=EIO:when=${nth}`],
        });
        try {
          await service.saw('started');
          expect(await service.end('SIGTERM')).toBe(0);
          expect(readFileSync(trace, 'latin1')).toContain('(INJECTED)');
          expect(await openStored(file)).toBeDefined();
        } finally {
          await service.end('SIGKILL');
          await folder.remove();
        }
      },
      TIMEOUT_MS,
    );
  },
);
