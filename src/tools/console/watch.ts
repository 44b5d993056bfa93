// What the console has seen of the service since it runs: totals once a minute,
// and the usage view, which is expensive, only while somebody looks. Pages show the
// latest of it and never wait for it.

import type { OperatorClient, Overview, Usage } from '../../operator-client.js';

export const WATCH_INTERVAL_MS = 60_000;
/** A day of totals. */
const SAMPLES_MAX = 1_440;
/** The usage view is asked while a page was asked for within this time. */
const LOOKED_AT_MAX_MS = 300_000;

export interface TotalsSample {
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
  readonly records: number;
  readonly accounts: number;
}

/** A view with the time at which it was asked. */
export interface Seen<View> {
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
  readonly view: View;
}

export interface WatchOptions {
  readonly client: Pick<OperatorClient, 'overview' | 'usage'>;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** Asks whatever else is to be sampled, such as the operations port. */
  readonly sampleToo: () => Promise<unknown>;
}

export class Watch {
  usage: Seen<Usage> | undefined;
  /** The last answer, for the time when there is none. */
  overview: Seen<Overview> | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly begunAt: number;
  /** Oldest first. */
  readonly totals: TotalsSample[] = [];
  readonly #options: WatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #lookedAt: number;
  #usageUnderWay: Promise<void> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.begunAt = options.clock();
    this.#lookedAt = this.begunAt;
  }

  start(): void {
    void this.tick();
    this.#timer = setInterval(() => void this.tick(), WATCH_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A page that shows the usage was asked for. Where nobody had looked for a while, the view is asked again now. */
  looked(): void {
    const { clock } = this.#options;
    this.#lookedAt = clock();
    if (clock() - (this.usage?.at ?? 0) > WATCH_INTERVAL_MS) this.#askUsage();
  }

  /** One round. Never rejects: a service that is away is told by the pages themselves. */
  async tick(): Promise<void> {
    const { client, clock, sampleToo } = this.#options;
    if (clock() - this.#lookedAt <= LOOKED_AT_MAX_MS) this.#askUsage();
    const overview = client.overview().then(
      (view) => this.saw(view),
      () => {},
    );
    await Promise.all([overview, sampleToo().catch(() => {})]);
  }

  /** Keeps the totals of an answer, at most one a minute. */
  saw(view: Overview): void {
    const at = this.#options.clock();
    const { record_count, tenant_count } = view;
    this.overview = { at, view };
    const last = this.totals.at(-1);
    if (last !== undefined && at - last.at < WATCH_INTERVAL_MS / 2) this.totals.pop();
    this.totals.push({ at, records: record_count, accounts: tenant_count });
    if (this.totals.length > SAMPLES_MAX) this.totals.shift();
  }

  /** One question at a time: one that takes long is not asked again beside it. */
  #askUsage(): void {
    const { client, clock } = this.#options;
    this.#usageUnderWay ??= client
      .usage()
      .then(
        (view) => {
          this.usage = { at: clock(), view };
        },
        () => {},
      )
      .finally(() => {
        this.#usageUnderWay = undefined;
      });
  }
}
