// A bound on what the kernel holds of answers that are not read. Node has no
// call for a TCP socket's send buffer; connections inherit that of the socket
// that listens, so it is set there, once.

import { spawn } from 'node:child_process';
import type { Server } from 'node:net';

/** Linux doubles it for its own bookkeeping (socket(7), SO_SNDBUF). */
export const SEND_BUFFER_BYTES = 131_072;

/**
 * Runs in a process of its own, where the listening socket is descriptor 3: in
 * this one, Node would refuse a descriptor twice. A datagram socket has the call
 * that a stream has not, and `_handle` is not documented: it may be missing.
 */
const SET_BUFFER = `
  const socket = require('node:dgram').createSocket('udp4');
  if (socket._handle.open(3) !== 0) process.exit(1);
  socket.setSendBufferSize(Number(process.argv[1]));
  process.stdout.write(String(socket.getSendBufferSize()), () => process.exit(0));
`;

/**
 * Gives every connection that is accepted from now on a send buffer of so many
 * bytes. Resolves with the bytes that the system then grants, undefined where
 * it could not be set: the server works without it.
 */
export async function limitSendBuffers(server: Server, bytes: number): Promise<number | undefined> {
  const descriptor = descriptorOf(server);
  if (descriptor === undefined) return undefined;
  const child = spawn(
    process.execPath,
    ['--no-warnings', '--eval', SET_BUFFER, '--', String(bytes)],
    {
      // None of the service's secrets.
      env: {},
      stdio: ['ignore', 'pipe', 'ignore', descriptor],
    },
  );
  let granted = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    granted += text;
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  return code === 0 ? Number(granted) : undefined;
}

/** Undefined where the server does not listen, or where Node tells no descriptor. */
function descriptorOf(server: Server): number | undefined {
  const handle: unknown = Reflect.get(server, '_handle');
  const descriptor = typeof handle === 'object' && handle !== null && Reflect.get(handle, 'fd');
  return typeof descriptor === 'number' && descriptor >= 0 ? descriptor : undefined;
}
