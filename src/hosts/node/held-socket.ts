// A listening socket that systemd holds and hands over (sd_listen_fds(3)). It outlives this
// process, so connections wait in the kernel while no process accepts.

import { fstatSync, readFileSync, readlinkSync } from 'node:fs';

/** "SD_LISTEN_FDS_START" */
const FIRST_DESCRIPTOR = 3;
/** In the kernel's tables. */
const STATE_LISTEN = '0A';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The descriptor of the socket to accept on; undefined if none was handed to the process
 * `pid`. Throws with one sentence where what was handed over is not one listening TCP socket.
 */
export function heldSocket(environment: Environment, pid: number): number | undefined {
  const { LISTEN_FDS: count, LISTEN_PID: receiver } = environment;
  // Meant for another process: a parent's environment is inherited.
  if (!count || receiver !== String(pid)) return undefined;
  if (count !== '1') {
    throw new Error(
      `LISTEN_FDS is ${JSON.stringify(count.slice(0, 20))}; it must be 1: put one ListenStream= into the socket unit`,
    );
  }
  if (!isListening(FIRST_DESCRIPTOR)) {
    throw new Error(
      `LISTEN_FDS is 1, but descriptor ${FIRST_DESCRIPTOR} is no listening TCP socket; the socket unit needs ListenStream= with an address and port, and Accept=no`,
    );
  }
  return FIRST_DESCRIPTOR;
}

function isListening(descriptor: number): boolean {
  try {
    if (!fstatSync(descriptor).isSocket()) return false;
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`))?.[1];
    return ['tcp', 'tcp6'].some((table) => listeningInodes(table).includes(inode ?? ''));
  } catch {
    return false;
  }
}

function listeningInodes(table: string): string[] {
  let text: string;
  try {
    text = readFileSync(`/proc/self/net/${table}`, 'utf8');
  } catch {
    // A system without IPv6 has no table of it.
    return [];
  }
  // sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode
  const rows = text.split('\n').map((line) => line.trim().split(/\s+/));
  return rows.filter((row) => row[3] === STATE_LISTEN).map((row) => row[9] ?? '');
}
