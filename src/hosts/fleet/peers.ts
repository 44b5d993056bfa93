// Calls to the other processes of the fleet.

import type { Log } from '../../core/log.js';
import { ThrottledLog } from '../../core/throttled-log.js';
import type { FleetProcess } from '../../storage/postgres/fleet-table.js';
import type { FleetTls } from '../settings/fleet-settings.js';
import type { SentCall } from './account-call.js';
import type { FleetIdentity } from './internal-call.js';
import { type Asked, PeerConnection } from './peer-connection.js';

export interface PeersOptions {
  readonly identity: FleetIdentity;
  readonly tls: FleetTls | undefined;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class Peers {
  readonly #options: PeersOptions;
  readonly #log: ThrottledLog;
  /** By id of the process: one that began anew is another one. */
  readonly #connections = new Map<string, PeerConnection>();

  constructor(options: PeersOptions) {
    this.#options = options;
    this.#log = new ThrottledLog(options.log, options.clock);
  }

  ask(peer: FleetProcess, call: SentCall, body: string): Promise<Asked> {
    const connection = this.#connections.get(peer.id) ?? this.#open(peer);
    return connection.ask(call, body);
  }

  /** Ends the calls to processes that have gone: nobody waits for a machine that is stopped or cut off. */
  sweep(processes: readonly FleetProcess[]): void {
    const living = new Set(processes.map(({ id }) => id));
    for (const [id, connection] of this.#connections) if (!living.has(id)) connection.close();
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
  }

  #open(peer: FleetProcess): PeerConnection {
    const { identity, tls } = this.#options;
    const connection = new PeerConnection(peer, {
      identity,
      tls,
      onRefused: (reason) =>
        this.#log.error('fleet_process_refuses', reason, { process: peer.url }),
      onClosed: () => this.#connections.delete(peer.id),
    });
    this.#connections.set(peer.id, connection);
    return connection;
  }
}
