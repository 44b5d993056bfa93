// What the console last saw of the service, read once a minute, for the time when it is away.

import type { OperatorClient, Overview } from '../../operator-client.js';
import type { Seen, StatusPort } from './status-port.js';

export const WATCH_INTERVAL_MS = 60_000;

export interface WatchOptions {
  readonly client: Pick<OperatorClient, 'overview'>;
  readonly status: Pick<StatusPort, 'status'>;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class Watch {
  overview: Seen<Overview> | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly startedAt: number;
  readonly #options: WatchOptions;
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
}
