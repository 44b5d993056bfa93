// What a host may pass to the handler with a request.

/**
 * Reads a whole body of at most `maxBytes`; undefined if it is longer.
 * A host with a quicker way than the request's stream passes its own reader.
 */
export type ReadBody = (maxBytes: number) => Promise<Uint8Array | undefined>;

export interface HostBindings {
  /** A quicker way to the body than the request's stream. */
  readonly readBody?: ReadBody;
  /** A quicker way than the request's signal to learn whether the client's connection is closed. */
  readonly isDisconnected?: () => boolean;
  /** The client's address, for the log. A function: with a getter, whose objects share no hidden class, a read took 1.6 times the time. */
  readonly remoteAddress?: () => string | undefined;
  /** The handler writes the pattern of the request's route and the response's id here. */
  readonly exchange?: { route: string; requestId: string | undefined } | undefined;
}
