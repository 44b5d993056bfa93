// Litestream's control socket as tests need it: answers as version 0.5.17 does, or as
// the test wants. It keeps no replica.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface LitestreamStub {
  /** A test may change these at any time. */
  readonly says: {
    version: string;
    pid: number;
    startedAt: string;
    databases: string[];
    /** Undefined: each sync is answered. */
    refusal: string | undefined;
    /** Syncs are answered after this promise. */
    held: Promise<void> | undefined;
    /** Whether each sync finds a change. */
    advances: boolean;
    /** How many changes the replica lacks. */
    lacks: number;
  };
  /** The orders to sync so far. */
  readonly syncs: readonly { wait: boolean }[];
  close(): Promise<void>;
}

export async function openLitestreamStub(
  socketPath: string,
  database: string,
): Promise<LitestreamStub> {
  const says: LitestreamStub['says'] = {
    version: '0.5.17',
    pid: process.pid,
    startedAt: '2026-11-22T04:00:00Z',
    databases: [database],
    refusal: undefined,
    held: undefined,
    advances: true,
    lacks: 0,
  };
  const syncs: { wait: boolean }[] = [];
  let txid = 1;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.url === '/info') {
      send(200, { version: says.version, pid: says.pid, started_at: says.startedAt });
    } else if (request.url === '/list') {
      send(200, { databases: says.databases.map((path) => ({ path, status: 'open' })) });
    } else {
      syncs.push(JSON.parse(Buffer.concat(pieces).toString()));
      await says.held;
      if (says.refusal !== undefined) return send(500, { error: says.refusal });
      if (says.advances) txid++;
      send(200, { status: 'synced', txid, replicated_txid: txid - says.lacks });
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    says,
    syncs,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
