// Litestream's control socket: what may respond there, and the error for each invalid response.

import { createServer, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { litestreamOn } from '../../../src/storage/replication/litestream.js';
import { listenLocally } from '../../support/listen.js';
import { type LitestreamStub, openLitestreamStub } from '../../support/litestream-stub.js';
import { testFolder } from '../../support/test-folder.js';

const DATABASE = '/data/service.db';

const folder = testFolder();
let socketPath: string;
let stub: LitestreamStub;
let litestream: ReturnType<typeof litestreamOn>;

beforeEach(async () => {
  socketPath = folder.at('socket');
  stub = await openLitestreamStub(socketPath, DATABASE);
  litestream = litestreamOn(socketPath, DATABASE);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stub.close();
});

it('Litestream is identified by its process id and start time, and must be 0.5.17 or newer', async () => {
  for (const version of ['v0.5.17', '0.5.18', '0.6.0', '1.0.0', '0.5.17-dev', '10.0.0']) {
    stub.state.version = version;
    expect(await litestream.identify()).toBe(`${process.pid} 2026-11-22T04:00:00Z`);
  }
  for (const version of ['0.5.16', '0.5.9', '0.4.99', '0.5', 'x0.5.17', '', 'x'.repeat(99)]) {
    stub.state.version = version;
    await expect(litestream.identify()).rejects.toThrow(
      `Litestream on ${socketPath} has version ${version.slice(0, 40)}; it must be 0.5.17 or newer,`,
    );
  }
});

it('An error is quoted in one line, without the password of an address', async () => {
  stub.state.refusal = 'cannot\n\treach  s3://key:word@host/a and sftp://me@host/b';
  await expect(litestream.sync(true, 30)).rejects.toThrow(
    'Litestream says: cannot reach s3://(hidden)@host/a and sftp://(hidden)@host/b',
  );
});

describe('Another program, or a failing Litestream', () => {
  let answer: (response: ServerResponse) => void;
  let late: AbortController;

  beforeEach(async () => {
    late = new AbortController();
    await stub.close();
    const server = createServer((_request, response) => answer(response));
    return (await listenLocally(server, socketPath)).close;
  });

  it.each<[what: string, answer: (to: ServerResponse) => void, sentence: string]>([
    ['fails', (to) => to.writeHead(500).end('x'), 'Litestream says: status 500'],
    ['sends nothing', (to) => to.end(), 'Litestream sees no database there; check its user and'],
    ['breaks off', (to) => to.destroy(), '(ECONNRESET)'],
    ['is late', () => late.abort(new DOMException('', 'TimeoutError')), 'does not respond in time'],
  ])('that %s is reported in one sentence', async (_, act, sentence) => {
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
    answer = act;
    await expect(litestream.sync(true, 30)).rejects.toThrow(sentence);
  });

  it.each(['null', '"/data/service.db"', '[null,{},{"path":"/data/other.db"}]'])(
    'that lists %s is refused',
    async (databases) => {
      answer = (response) => response.end(`{"version":"0.5.17","databases":${databases}}`);
      await expect(litestream.identify()).rejects.toThrow(
        `does not list the database; add "- path: ${DATABASE}" under "dbs:" in its file and restart it`,
      );
    },
  );
});
