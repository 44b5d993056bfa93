// The built server with its administration API, and what an operator does with it: run a command,
// read an account's records by the client.

import { writeFile } from 'node:fs/promises';
import { createOperatorClient } from 'service-management-api/operator-client';
import { afterAll, beforeAll } from 'vitest';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import { ADMIN_KEY } from './contract.js';
import { openInterceptingProxy } from './intercepting-proxy.js';
import { runManage, startManage } from './manage.js';
import { openNodeService } from './node-service.js';
import type { Environment } from './program.js';

/** The service that the tests of a file share: opened before they begin, closed after them. */
export function dataService() {
  const on = {} as Awaited<ReturnType<typeof openDataService>>;
  beforeAll(async () => void Object.assign(on, await openDataService()));
  afterAll(() => on.close?.());
  return on;
}

async function openDataService() {
  const { start, folder, at, close } = await openNodeService();
  const url = `${(await start({ ADMIN_API_KEY: ADMIN_KEY })).origin}/api/v1`;
  const client = createOperatorClient({ baseUrl: url, adminKey: ADMIN_KEY });
  /** The settings with which a command reaches the service. */
  const environment: Environment = { SERVICE_URL: url, ADMIN_API_KEY: ADMIN_KEY };
  return {
    ...{ folder, url, client, environment, at, close },
    /** Writes a file. A text is written as UTF-8. */
    async file(name: string, content: string | Uint8Array): Promise<string> {
      await writeFile(at(name), content);
      return at(name);
    },
    /** Runs `node dist/manage.js`. A process takes a quarter of a second of processor time, so most tests run the command here. */
    runProcess: (args: readonly string[], more: Environment = {}) =>
      startManage(args, { ...environment, ...more }, { cwd: folder }).ended,
    /** Runs the command in this process. */
    run: (args: readonly string[], more: Environment = {}) =>
      runManage(args, { ...environment, ...more }),
    /** The same, with Ctrl-C after a request such as `GET 3`, the third of its method. */
    async runInterrupted(args: readonly string[], request: string, more: Environment = {}) {
      const [method = '', count] = request.split(' ');
      const interruption = new AbortController();
      const after = (_: unknown, number: number) => {
        if (number === Number(count)) interruption.abort();
        return false;
      };
      const proxy = await openInterceptingProxy({ method: method as 'GET', to: url, after });
      const given = { ...environment, ...more, ...proxy.environment };
      const run = await runManage(args, given, interruption.signal);
      await proxy.close();
      return run;
    },
    /** An account's records, oldest first, without id and owner. */
    async contents(account: string, collection: CollectionName) {
      const records: Record<string, unknown>[] = [];
      for await (const record of client.recordsOf(account)[collection].all()) {
        const { id: _id, owner_sub: _owner, ...content } = record as Record<string, unknown>;
        records.push(content);
      }
      return records.reverse();
    },
  };
}
