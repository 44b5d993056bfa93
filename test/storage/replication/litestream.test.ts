// Litestream's control socket: who may answer there, the order that the service gives,
// and the sentence for each answer that is not the wanted one.

import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Litestream } from '../../../src/storage/replication/litestream.js';
import { type LitestreamStub, openLitestreamStub } from '../../support/litestream-stub.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

const DATABASE = '/data/service.db';
const NOT_LISTED = `does not list the database; add "- path: ${DATABASE}" under "dbs:" in its file and restart it`;

let folder: TemporaryFolder;
let socketPath: string;
let stub: LitestreamStub;
let litestream: Litestream;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  socketPath = join(folder.path, 'socket');
  stub = await openLitestreamStub(socketPath, DATABASE);
  litestream = new Litestream(socketPath, DATABASE);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stub.close();
  await folder.remove();
});

describe('Litestream', () => {
  it('is known by its process and its start, at version 0.5.17 or newer', async () => {
    for (const version of ['v0.5.17', '0.5.18', '0.6.0', '1.0.0', '0.5.17-dev', '10.0.0']) {
      stub.says.version = version;
      expect(await litestream.identify()).toBe(`${process.pid} 2026-11-22T04:00:00Z`);
    }
    for (const version of ['0.5.16', '0.5.9', '0.4.99', '0.5', 'x0.5.17', '', 'x'.repeat(99)]) {
      stub.says.version = version;
      await expect(litestream.identify()).rejects.toThrow(
        `Litestream on ${socketPath} has version ${version.slice(0, 40)}; it must be 0.5.17 or newer,`,
      );
    }
  });

  it('syncs a database, and waits for the replica where it is told to', async () => {
    expect(await litestream.sync(true, 30)).toEqual({ txid: 2, replicatedTxid: 2 });
    stub.says.lacks = 1;
    expect(await litestream.sync(false, 30)).toEqual({ txid: 3, replicatedTxid: 2 });
    await expect(litestream.sync(true, 7)).rejects.toThrow('the replica has change 3 of 4');
    expect(stub.syncs).toEqual([
      { path: DATABASE, wait: true, timeout: 30 },
      { path: DATABASE, wait: false, timeout: 30 },
      { path: DATABASE, wait: true, timeout: 7 },
    ]);
  });

  it('gets two seconds for a question, and five more than it may take for a sync', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    await litestream.identify();
    await litestream.sync(true, 30);
    expect(timeout.mock.calls).toEqual([[2_000], [2_000], [35_000]]);
  });

  it('that says nothing does not answer in time', async () => {
    const late = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
    stub.says.held = new Promise(() => {});
    const syncing = litestream.sync(true, 30);
    await vi.waitUntil(() => stub.syncs.length > 0, 45_000);
    late.abort(new DOMException('too late', 'TimeoutError'));
    await expect(syncing).rejects.toThrow(
      `Litestream does not answer in time on ${socketPath}; start it with "socket:" in its file, or name its socket: REPLICATION=async:/path`,
    );
  });

  it('that refuses is quoted in one line, without the password of an address', async () => {
    stub.says.refusal = 'cannot\n\treach  s3://key:word@host/a and sftp://me@host/b';
    await expect(litestream.sync(true, 30)).rejects.toThrow(
      'Litestream says: cannot reach s3://(hidden)@host/a and sftp://(hidden)@host/b',
    );
    stub.says.refusal = 'x'.repeat(1_000);
    await expect(litestream.sync(true, 30)).rejects.toThrow(
      new Error(`Litestream says: ${'x'.repeat(300)}`),
    );
  });
});

describe('A program that is no Litestream', () => {
  let server: Server;
  let answer: (response: ServerResponse) => void;

  beforeEach(async () => {
    await stub.close();
    server = createServer((_request, response) => answer(response));
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each([
    [500, 'out of order', 'Litestream says: status 500'],
    [404, '"error"', 'Litestream says: status 404'],
    [409, '{"error":"database is not open"}', 'Litestream says: database is not open'],
    [200, '', 'Litestream sees no database there; check its user and path'],
    [200, '{"txid":0,"replicated_txid":0}', 'Litestream sees no database there'],
    [200, '{"txid":5}', 'the replica has change NaN of 5'],
  ])('with status %i and the answer %s is refused', async (status, text, sentence) => {
    answer = (response) => response.writeHead(status).end(text);
    await expect(litestream.sync(true, 30)).rejects.toThrow(sentence);
  });

  it('that breaks off its answer, or is late with it, does not answer', async () => {
    answer = (response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('{"txid":5', () => response.destroy());
    };
    await expect(litestream.sync(true, 30)).rejects.toThrow('does not answer (ECONNRESET)');
    const late = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
    answer = (response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('{"txid":5', () => setImmediate(() => late.abort()));
    };
    await expect(litestream.sync(true, 30)).rejects.toThrow('does not answer');
  });

  it.each([
    [''],
    [',"databases":"/data/service.db"'],
    [',"databases":[null,{}]'],
    [',"databases":[{"path":"/data/other.db"}]'],
  ])('that does not list the database is refused: %s', async (databases) => {
    answer = (response) => response.end(`{"version":"0.5.17"${databases}}`);
    await expect(litestream.identify()).rejects.toThrow(NOT_LISTED);
  });
});
