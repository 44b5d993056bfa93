// A small version of the trial `replication`, if this machine has Litestream.

import { expect } from 'vitest';
import { openIdentityStub } from '../support/identity-stub.js';
import { itWithLitestream, litestreamHome } from '../support/litestream.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { lifeOf } from './replication/disaster.js';

/** Longer than every interval below. */
const ALONE_MS = 6_000;

itWithLitestream(
  'The replica survives the loss of the machine, a restart of Litestream, and Litestream running alone next to an empty folder',
  async (program) => {
    const folder = await openTemporaryFolder();
    const identity = await openIdentityStub();
    try {
      // Minutes of the real file are seconds here: files are joined and removed as soon as can be.
      const general = [
        'l0-retention: 1s',
        'l0-retention-check-interval: 1s',
        'levels:',
        '  - interval: 1s',
        '  - interval: 2s',
      ];
      const home = litestreamHome(program, folder.path, [], general);
      const life = await lifeOf(home, identity.url);
      await life.acknowledged(20);
      await life.restartLitestream(0);
      await life.acknowledged(40);
      await life.rest();
      const lost = await life.lose(() => life.runLitestreamAlone(ALONE_MS));
      expect(lost).toMatchObject({ missing: 0, isWhole: true });
    } finally {
      await identity.close();
      await folder.remove();
    }
  },
);
