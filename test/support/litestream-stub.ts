// A stub of Litestream's control socket: responds as version 0.5.17 does, or as the test wants. It
// keeps no replica.

import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenLocally } from './listen.js';

export type LitestreamStub = Awaited<ReturnType<typeof openLitestreamStub>>;

export async function openLitestreamStub(socketPath: string, database: string) {
  /** A test may change these at any time. */
  const state = {
    version: '0.5.17',
    pid: process.pid,
    startedAt: '2026-11-22T04:00:00Z',
    databases: [database],
    /** Undefined: each sync gets a response. */
    refusal: undefined as string | undefined,
    /** Responses to syncs wait for this promise. */
    held: undefined as Promise<void> | undefined,
    /** Whether each sync finds a change. */
    advances: true,
    /** How many changes the replica lacks. */
    lacks: 0,
  };
  /** The sync commands so far. */
  const syncs: { wait: boolean }[] = [];
  let txid = 1;
  const server = createServer(async (request, response) => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const { version, pid, startedAt: started_at, databases } = state;
    if (request.url === '/info') return send(200, { version, pid, started_at });
    if (request.url === '/list') {
      return send(200, { databases: databases.map((path) => ({ path, status: 'open' })) });
    }
    syncs.push((await json(request)) as { wait: boolean });
    await state.held;
    if (state.refusal !== undefined) return send(500, { error: state.refusal });
    if (state.advances) txid++;
    return send(200, { status: 'synced', txid, replicated_txid: txid - state.lacks });
  });
  const { close } = await listenLocally(server, socketPath);
  return { state, syncs, close };
}
