// A write that is neither known to be on disk nor known not to be: the process
// answers 500, says so and ends with exit code 1, so that a restart reads the truth.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedBuild } from '../support/changed-build.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';

const CUSTOMERS = '/api/v1/customers';
const CREATION = requestText('POST', CUSTOMERS, [bearer('lost')], '{"name":"a","phone":"1"}');

let service: NodeService;
let script: string;

/** The built server, but its storage thread ends when it is asked to commit. */
beforeEach(async () => {
  service = await openNodeService();
  const death = `import { parentPort as port } from 'node:worker_threads';
    port.on('message', ({ name }) => name === 'commit' && process.exit(7));`;
  script = await changedBuild(service.folder, 'storage-thread.js', death);
});
afterEach(() => service.close());

describe('Storage that is lost during a commit', () => {
  it('ends the process with 1, after the writes under way are answered', async () => {
    const server = await service.start({}, { script });
    const answers = (
      await Promise.all([1, 2, 3].map(() => rawExchange(server.origin, CREATION)))
    ).flat();
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
    expect(answers[0]?.json.error?.code).toBe('STORAGE_FAILED');
    expect(await server.exited).toBe(1);
    expect(server.log()).toContainEqual(
      expect.objectContaining({ event: 'storage_commit_failed', stored: 'unknown' }),
    );
    expect(server.log()).toContainEqual(
      expect.objectContaining({ event: 'stopping', reason: 'storage_lost' }),
    );
  });

  it('ends the process with 1 as well when it is already stopping', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const stub = await openIdentityStub((_token, response) => {
      gate.then(() => response.end('{"sub":"lost"}'));
    });
    const server = await service.start({ AUTH_USERINFO_URL: stub.url }, { script });
    const connection = openRaw(server.origin, CREATION);
    // An answer to another client says that this one's request is there, too.
    await fetch(`${server.origin}/api/v1/health`);
    server.child.kill('SIGTERM');
    await server.saw('"event":"stopping"');
    open();
    await connection.over;
    expect(connection.answers()[0]?.status).toBe(500);
    expect(await server.exited).toBe(1);
    await stub.close();
  });
});
