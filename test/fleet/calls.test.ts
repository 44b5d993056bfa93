// One connection between two processes of a fleet: its calls, and the parts of long replies.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FailureError } from '../../src/core/domain/errors.js';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../../src/core/domain/limits.js';
import { pageIn, type SentCall, textIn } from '../../src/hosts/fleet/account-call.js';
import { AnsweredCalls } from '../../src/hosts/fleet/answered-calls.js';
import { type Frame, Frames } from '../../src/hosts/fleet/frames.js';
import { type Asked, PeerConnection } from '../../src/hosts/fleet/peer-connection.js';
import { eventually } from '../support/eventually.js';
import { onLoopback } from '../support/loopback.js';

type Answer = ConstructorParameters<typeof AnsweredCalls>[2]['answer'];

const READ: SentCall = {
  owner: 'account-1',
  call: { operation: 'read', collection: 'customers', id: '1' },
};
const PIECE = 'x'.repeat(70_000);

let server: Server;
let url: string;
let close: () => Promise<void>;
let sockets: Duplex[];
let errors: unknown[];
let answer: Answer;

beforeEach(async () => {
  sockets = [];
  errors = [];
  server = createServer((_request, response) => void response.writeHead(403).end('another key'));
  server.on('upgrade', (_request, socket, first) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    new AnsweredCalls(socket, first, {
      answer: (call, body) => answer(call, body),
      onError: (error) => errors.push(error),
    });
  });
  ({ origin: url, close } = await onLoopback(server));
});
afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  await close();
});

function open(onRefused: (reason: string) => void = () => {}): PeerConnection {
  const connection = new PeerConnection(
    { id: 'process-1', url, beats: 1, isLeaving: false, release: '' },
    {
      identity: { key: 'k'.repeat(32), database: 'database-1' },
      tls: undefined,
      onRefused,
      onClosed: () => {},
    },
  );
  onTestFinished(() => connection.close());
  return connection;
}

function replyIn(asked: Asked) {
  if (asked.kind !== 'reply') throw new Error(`the call is ${asked.kind}`);
  return asked.reply;
}

/** Rows that are made as they are read. */
function countedRows(pieces: number) {
  const made = { count: 0, isLetGo: false };
  async function* rows() {
    try {
      for (; made.count < pieces; made.count++) yield PIECE;
    } finally {
      made.isLetGo = true;
    }
  }
  return { made, rows: rows() };
}

async function readAll(rows: AsyncIterable<string> | readonly string[]): Promise<string> {
  let text = '';
  for await (const piece of rows) text += piece;
  return text;
}

describe('Calls on one connection', () => {
  it('each get the reply that is theirs, whichever is ready first', async () => {
    const ready: (() => void)[] = [];
    answer = async (_call, body) => {
      await new Promise<void>((resolve) => ready.push(resolve));
      return { head: { kind: 'text' }, rows: [`"${body}"`] };
    };
    const connection = open();
    const bodies = ['ä'.repeat(100_000), '', 'three\nlines\n', '"\u2028"'];
    const asked = bodies.map((body) => connection.ask(READ, body));
    await eventually(async () => expect(ready).toHaveLength(bodies.length));
    for (const resolve of ready.reverse()) resolve();
    const texts = (await Promise.all(asked)).map((each) => textIn(replyIn(each)));
    expect(texts).toEqual(bodies.map((body) => ({ ok: true, value: `"${body}"` })));
    expect(sockets).toHaveLength(1);
  });

  it('a failure, a refusal and an error are told apart', async () => {
    const connection = open();
    const failure = { code: 'NOT_FOUND', message: 'no such record' } as const;
    answer = async () => {
      throw new FailureError(failure);
    };
    expect(textIn(replyIn(await connection.ask(READ, '')))).toEqual({ ok: false, failure });
    answer = async () => undefined;
    expect(await connection.ask(READ, '')).toEqual({ kind: 'nothingDone' });
    answer = async () => {
      throw new Error('a defect');
    };
    expect(await connection.ask(READ, '')).toEqual({ kind: 'lost' });
    expect(errors.map(String)).toEqual(['Error: a defect']);
  });

  it('are lost when the connection breaks, and a reply that is half read breaks off', async () => {
    const connection = open();
    answer = async () => ({ head: { kind: 'rows', total: 9 }, rows: countedRows(9).rows });
    const { items } = pageIn(replyIn(await connection.ask(READ, '')));
    answer = () => new Promise(() => {});
    const waiting = connection.ask(READ, '');
    await expect(
      (async () => {
        for await (const _ of items) sockets[0]?.destroy();
      })(),
    ).rejects.toThrow('broke off');
    expect(await waiting).toEqual({ kind: 'lost' });
    expect(await connection.ask(READ, '')).toEqual({ kind: 'nothingDone' });
  });

  it('do nothing where the other process has ended before the frame goes out', async () => {
    const connection = open();
    answer = async () => undefined;
    await connection.ask(READ, '');
    // Behind a timer the loop looks at its connections before the frames go out.
    await new Promise((resolve) => setTimeout(resolve, 5));
    sockets[0]?.destroy();
    expect(await connection.ask(READ, '')).toEqual({ kind: 'nothingDone' });
  });

  it('do nothing where the connection is not opened, and the reason is told', async () => {
    server.removeAllListeners('upgrade');
    const reasons: string[] = [];
    const connection = open((reason) => reasons.push(reason));
    const asked = await Promise.all([connection.ask(READ, ''), connection.ask(READ, '')]);
    expect(asked).toEqual([{ kind: 'nothingDone' }, { kind: 'nothingDone' }]);
    expect(reasons).toEqual(['another key']);
  });

  it('are lost after four beats without a sign of the other process, not while it gives one', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    answer = () => new Promise(() => {});
    const connection = open();
    const heard = vi.fn();
    const waiting = connection.ask(READ, '').then(heard);
    await eventually(async () => expect(sockets).toHaveLength(1));
    // Its pong comes over a real connection between two beats.
    for (let beat = 0; beat < 8; beat++) {
      const pongs = sockets[0] as Socket;
      const before = pongs.bytesWritten;
      vi.advanceTimersByTime(1_000);
      await eventually(async () => expect(pongs.bytesWritten).toBeGreaterThan(before));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(heard).not.toHaveBeenCalled();
    sockets[0]?.removeAllListeners('data');
    vi.advanceTimersByTime(5_000);
    await waiting;
    expect(heard).toHaveBeenCalledWith({ kind: 'lost' });
  });
});

describe('A long reply', () => {
  it('is made as it is read, while other calls are answered', async () => {
    const connection = open();
    const { made, rows } = countedRows(20);
    answer = async () => ({ head: { kind: 'rows', total: 20 }, rows });
    const { items } = pageIn(replyIn(await connection.ask(READ, '')));
    for (let call = 0; call < 50; call++) {
      answer = async () => ({ head: { kind: 'text' }, rows: [`${call}`] });
      expect(textIn(replyIn(await connection.ask(READ, '')))).toEqual({
        ok: true,
        value: `${call}`,
      });
    }
    expect(made.count).toBeLessThanOrEqual(2);
    expect(await readAll(items)).toBe(PIECE.repeat(20));
    expect(made).toEqual({ count: 20, isLetGo: true });
  });

  it('of large texts is never held as one text', async () => {
    const connection = open();
    const texts = Array.from({ length: 5 }, (_, i) => `"${String(i).repeat(900_000)}"`);
    answer = async () => ({ head: { kind: 'rows', total: 5 }, rows: texts });
    const { items } = pageIn(replyIn(await connection.ask(READ, '')));
    let longest = 0;
    let text = '';
    for await (const piece of items) {
      longest = Math.max(longest, piece.length);
      text += piece;
    }
    expect(text).toBe(texts.join(','));
    expect(longest).toBeLessThanOrEqual(2 * 65_536);
  });

  it('is let go of by the holder when its reader stops', async () => {
    const connection = open();
    const { made, rows } = countedRows(20);
    answer = async () => ({ head: { kind: 'rows', total: 20 }, rows });
    const { items } = pageIn(replyIn(await connection.ask(READ, '')));
    for await (const _ of items) break;
    await eventually(async () => expect(made.isLetGo).toBe(true));
    expect(made.count).toBeLessThan(20);
  });

  it('is let go of by the holder when nobody reads it for as long as an answer may take', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const connection = open();
    const { made, rows } = countedRows(20);
    answer = async () => ({ head: { kind: 'rows', total: 20 }, rows });
    const { items } = pageIn(replyIn(await connection.ask(READ, '')));
    vi.advanceTimersByTime(RESPONSE_WRITE_TIMEOUT_MS);
    vi.useRealTimers();
    await eventually(async () => expect(made.isLetGo).toBe(true));
    await expect(readAll(items)).rejects.toThrow('broke off');
  });
});

describe('Frames', () => {
  it('are whole however the bytes of the connection are cut', async () => {
    const texts = ['', 'a', 'Ünï €\u{1f600}', 'x'.repeat(300)];
    const frames = texts.map((text, call) => ({ kind: call + 1, call: 2 ** 32 - 1 - call, text }));
    const out = new PassThrough();
    const sent: Buffer[] = [];
    const sender = new Frames(out, Buffer.alloc(0), () => {});
    out.on('data', (chunk) => sent.push(chunk));
    for (const frame of frames) sender.send(frame);
    await eventually(async () => expect(sender.unsent).toEqual([]));
    await once(out.end(), 'end');
    const bytes = Buffer.concat(sent);
    for (let size = 1; size < bytes.length; size += 7) {
      const wire = new PassThrough();
      const got: Frame[] = [];
      new Frames(wire, bytes.subarray(0, size), (frame) => got.push(frame));
      for (let at = size; at < bytes.length; at += size) wire.write(bytes.subarray(at, at + size));
      await once(wire.end(), 'end');
      expect(got).toEqual(frames);
    }
  });

  it('that are too long end the connection', async () => {
    const wire = new PassThrough();
    new Frames(wire, Buffer.alloc(0), () => {});
    wire.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0]));
    const [error] = await once(wire, 'error');
    expect(String(error)).toContain('longer than any call');
  });
});
