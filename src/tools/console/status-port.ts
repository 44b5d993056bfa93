// The service's operations port: its `/status`, and a backup on request. The last answers are kept,
// to show while the service is down.

import { setTimeout as pause } from 'node:timers/promises';
import type { Status } from '../../hosts/operations/status.js';
import type { OperatorClient, Overview } from '../../operator-client.js';

/** How often pages reload, and how often the console asks without one. */
export const WATCH_INTERVAL_MS = 60_000;
/** Longer than the service itself waits for a disk that hangs, so that it can report one. */
const ANSWER_MAX_MS = 5_000;
/** An answer up to this age is reused. */
const FRESH_MS = 2_000;
/** Long enough for a small backup to end before its page is shown. */
const BACKUP_LOOKS_MAX = 10;
const BACKUP_LOOK_MS = 200;
const BEGUN = 202;

/** An answer with its time, in milliseconds since 1970, UTC. */
interface Seen<Answer> {
  readonly at: number;
  readonly answer: Answer;
}

/** `/status`, or a sentence that says why there is none; undefined without an operations port. */
export type StatusOrReason = Status | string | undefined;

interface StatusPortOptions {
  /** `http://HOST:PORT`; undefined: there is none. */
  readonly url: string | undefined;
  /** Undefined if the admin key must not be sent to that address. */
  readonly adminKey: string | undefined;
  readonly client: Pick<OperatorClient, 'overview'>;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class StatusPort {
  readonly #options: StatusPortOptions;
  /** Milliseconds since 1970, UTC. */
  readonly startedAt: number;
  latest: Seen<Status> | undefined;
  overview: Seen<Overview> | undefined;
  #underWay: Promise<StatusOrReason> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StatusPortOptions) {
    this.#options = options;
    this.startedAt = options.clock();
  }

  /** Asks now and once a minute. */
  watch(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), WATCH_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects: pages find out themselves that the service is down. */
  async look(): Promise<void> {
    const overview = this.#options.client.overview().then(
      (answer) => this.saw(answer),
      () => {},
    );
    await Promise.all([overview, this.status()]);
  }

  saw(answer: Overview): void {
    this.overview = { at: this.#options.clock(), answer };
  }

  /** Whether a backup can be requested from here. */
  get takesKey(): boolean {
    return this.#options.adminKey !== undefined;
  }

  /** Never rejects. `freshMs`: the age up to which an answer is reused. */
  async status(freshMs = FRESH_MS): Promise<StatusOrReason> {
    const { url, clock } = this.#options;
    if (url === undefined) return undefined;
    if (this.latest !== undefined && clock() - this.latest.at <= freshMs) return this.latest.answer;
    this.#underWay ??= this.#ask(url).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  /** Requests a backup, and waits a moment for it to end. Resolves with the answer's status; undefined without an answer. */
  async backUp(): Promise<number | undefined> {
    const { url, adminKey = '' } = this.#options;
    const headers = { 'X-Service-Admin-Key': adminKey };
    const signal = AbortSignal.timeout(ANSWER_MAX_MS);
    // The key follows no redirect.
    const init = { method: 'POST', headers, signal, redirect: 'error' } as const;
    const response = await fetch(`${url}/backup`, init).catch(() => undefined);
    await response?.body?.cancel();
    for (let looks = 0; response?.status === BEGUN && looks < BACKUP_LOOKS_MAX; looks++) {
      await pause(BACKUP_LOOK_MS);
      const status = await this.status(0);
      if (typeof status !== 'object' || status.backups?.under_way !== true) break;
    }
    return response?.status;
  }

  async #ask(url: string): Promise<StatusOrReason> {
    const signal = AbortSignal.timeout(ANSWER_MAX_MS);
    try {
      const response = await fetch(`${url}/status`, { signal, redirect: 'error' });
      const answer = (await response.json()) as Status | null;
      if (!Array.isArray(answer?.last_hour)) throw new Error('it is not a /status of this release');
      this.latest = { at: this.#options.clock(), answer };
      return answer;
    } catch (error) {
      // A failed connection by its code.
      const { message = String(error), cause } = error as Error;
      const why = signal.aborted ? `none within ${ANSWER_MAX_MS / 1000} s` : message;
      const code = (cause as NodeJS.ErrnoException | undefined)?.code;
      return `The operations port ${url} gave no usable answer: ${code ?? why}`;
    }
  }
}
