// How two processes of a fleet talk: the headers, statuses and framing of the internal port.
// A call is one line of JSON and then the request's body; a reply is one line of JSON and then the
// rows as one comma-separated text.

/** Of this framing: processes with another one wait for each other's end. */
export const PROTOCOL = '1';

export const HEADERS = {
  key: 'x-fleet-key',
  protocol: 'x-fleet-protocol',
  /** Id of the database. */
  database: 'x-fleet-database',
  /** Id of the process that is meant: another one may have its port by now. */
  process: 'x-fleet-process',
} as const;

export const PATH = '/call';

/** The process does not hold the account: nothing was done. */
export const NOT_THE_HOLDER = 421;
/** Key, protocol or database are others: nothing was done. */
export const NOT_OF_THIS_FLEET = 403;

export interface FleetIdentity {
  readonly key: string;
  /** Id of the database. */
  readonly database: string;
}
