// How two processes of a fleet talk. The caller opens a connection to the holder's internal port
// by an HTTP upgrade that shows the key. Frames follow; any number of calls are under way on it.

/** Of the frames: processes with another one wait for each other's end. */
export const PROTOCOL = '2';

export const UPGRADE = 'fleet-calls';

export const HEADERS = {
  key: 'x-fleet-key',
  protocol: 'x-fleet-protocol',
  /** Id of the database. */
  database: 'x-fleet-database',
  /** Id of the process that is meant: another one may have its port by now. */
  process: 'x-fleet-process',
} as const;

/** Key, protocol or database are others. */
export const NOT_OF_THIS_FLEET = 403;

/** What the caller sends. */
export const ASK = {
  /** One line of JSON, then the request's body. */
  call: 1,
  /** Wants the next part of a reply. */
  more: 2,
  /** Wants no more of it. */
  end: 3,
  /** Wants a sign of life. */
  ping: 4,
} as const;

/** What the holder sends. */
export const REPLY = {
  /** All of a reply, or its last part: one line of JSON, then rows. Later parts are rows alone. */
  last: 1,
  /** A part of a reply; the next one is made when it is asked for. */
  part: 2,
  /** This process does not hold the account: nothing was done. */
  notTheHolder: 3,
  /** Nobody knows what was done. */
  failed: 4,
  pong: 5,
} as const;

export interface FleetIdentity {
  readonly key: string;
  /** Id of the database. */
  readonly database: string;
}
