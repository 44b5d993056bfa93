// What a host may pass to the handler with a request.

export interface HostBindings {
  /** Reads the whole body more quickly than the request's stream; undefined if it is longer than `maxBytes`. */
  readonly readBody?: (maxBytes: number) => Promise<Uint8Array | undefined>;
  /** A quicker way than the request's signal to learn whether the client's connection is closed. */
  readonly isDisconnected?: () => boolean;
  /** The client's address, for the log. A function: with a getter, whose objects share no hidden class, a read took 1.6 times as long. */
  readonly remoteAddress?: () => string | undefined;
  /** The handler writes the pattern of the request's route and the response's id here. */
  readonly exchange?: { route: string; requestId: string | undefined } | undefined;
}

export type ReadBody = NonNullable<HostBindings['readBody']>;
