// What the console has seen of the service: once a minute the totals and the status, so that a
// page can show them when the service is away; the usage view, which is expensive, while a page
// wants it.

import type { OperatorClient, Overview, Usage } from '../../operator-client.js';
import type { Seen, StatusPort } from './status-port.js';

export const WATCH_INTERVAL_MS = 60_000;

export interface WatchOptions {
  readonly client: Pick<OperatorClient, 'overview' | 'usage'>;
  readonly status: Pick<StatusPort, 'status'>;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class Watch {
  overview: Seen<Overview> | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly startedAt: number;
  readonly #options: WatchOptions;
  #usage: Seen<Usage> | undefined;
  #usageUnderWay: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.startedAt = options.clock();
  }

  start(): void {
    void this.tick();
    this.#timer = setInterval(() => void this.tick(), WATCH_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects: pages say it themselves if the service is away. */
  async tick(): Promise<void> {
    const { client, status } = this.#options;
    const overview = client.overview().then(
      (answer) => this.saw(answer),
      () => {},
    );
    await Promise.all([overview, status.status()]);
  }

  saw(answer: Overview): void {
    this.overview = { at: this.#options.clock(), answer };
  }

  /** The last answer. One older than a minute is asked for again, without waiting for it. */
  usage(): Seen<Usage> | undefined {
    const { client, clock } = this.#options;
    if (clock() - (this.#usage?.at ?? 0) >= WATCH_INTERVAL_MS) {
      this.#usageUnderWay ??= client
        .usage()
        .then(
          (answer) => {
            this.#usage = { at: clock(), answer };
          },
          () => {},
        )
        .finally(() => {
          this.#usageUnderWay = undefined;
        });
    }
    return this.#usage;
  }
}
