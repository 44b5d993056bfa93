// A listening socket that systemd holds and hands over (sd_listen_fds(3)). It outlives this
// process, so connections wait in the kernel while no process accepts.

import type { Environment } from '../settings.js';

/** "SD_LISTEN_FDS_START" */
const FIRST_DESCRIPTOR = 3;

/** The error if connections can't be accepted on the descriptor. */
export const NO_TCP_SOCKET = `LISTEN_FDS is 1, but descriptor ${FIRST_DESCRIPTOR} is not a listening TCP socket; the socket unit needs ListenStream= with an address and port, and Accept=no`;

/** The descriptor to listen on; undefined if none was passed to the process `pid`. Throws if several were. */
export function systemdSocket(environment: Environment, pid: number): number | undefined {
  const { LISTEN_FDS: count, LISTEN_PID: receiver } = environment;
  // The variables may be inherited, and meant for a parent process.
  if (!count || receiver !== String(pid)) return undefined;
  if (count === '1') return FIRST_DESCRIPTOR;
  throw new Error(
    `LISTEN_FDS is ${JSON.stringify(count)}; it must be 1: put one ListenStream= into the socket unit`,
  );
}
