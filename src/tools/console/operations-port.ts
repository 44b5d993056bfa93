// The operations port as the console asks it: its facts, at most every two seconds, and a
// backup at once. What it answered last is kept for the time when it does not.

import { setTimeout as pause } from 'node:timers/promises';
import { LastHour } from './last-hour.js';
import { bucketsIn, type StatusFacts, statusIn } from './operations-facts.js';

/** Longer than the service itself waits for a disk that hangs: that is one of its facts. */
const ANSWER_MAX_MS = 5_000;
/** Readings are not repeated sooner; a page shows the last one. */
const READING_AGE_MAX_MS = 2_000;
/** A small backup has ended before its page is shown. */
const BACKUP_LOOKS_MAX = 10;
const BACKUP_LOOK_MS = 200;

export interface OperationsFacts {
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
  readonly status: StatusFacts;
}

/** The facts, or a sentence why there are none; undefined where no operations port is set. */
export type FactsOrReason = OperationsFacts | string | undefined;

export type FetchText = (url: string, signal: AbortSignal) => Promise<string>;

/** How the question for a backup ended. */
export type BackupAnswer = 'begun' | 'refused' | 'off' | 'unknown' | 'away';
const BACKUP_ANSWERS: Readonly<Record<number, BackupAnswer>> = {
  202: 'begun',
  401: 'refused',
  409: 'off',
  // A release before this path.
  404: 'unknown',
};

export function isBackupAnswer(text: string | undefined): text is BackupAnswer {
  return text === 'away' || Object.values<string | undefined>(BACKUP_ANSWERS).includes(text);
}

export interface OperationsOptions {
  readonly url: string | undefined;
  readonly fetchText: FetchText;
  /** Sends a POST with the admin key; the status of its answer. Undefined where the key must not go to that address. */
  readonly post?: ((url: string, signal: AbortSignal) => Promise<number>) | undefined;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class OperationsPort {
  readonly url: string | undefined;
  readonly hour = new LastHour();
  readonly #options: OperationsOptions;
  /** What it answered last, however long ago; undefined where it never did. */
  latest: OperationsFacts | undefined;
  #underWay: Promise<void> | undefined;

  constructor(options: OperationsOptions) {
    this.url = options.url;
    this.#options = options;
  }

  /** Not older than that many milliseconds. Undefined where no operations port is set. Rejects with an Error whose message is a sentence. */
  async facts(ageMaxMs = READING_AGE_MAX_MS): Promise<OperationsFacts | undefined> {
    if (this.url === undefined) return undefined;
    const age = this.#options.clock() - (this.latest?.at ?? 0);
    if (age > ageMaxMs) await this.#readOnce();
    return this.latest;
  }

  /** For pages, which show why there are no facts. */
  factsOrReason(ageMaxMs?: number): Promise<FactsOrReason> {
    return this.facts(ageMaxMs).catch((error: Error) => error.message);
  }

  /** Whether this console may send the admin key there. */
  get takesKey(): boolean {
    return this.#options.post !== undefined;
  }

  /** Asks for a backup, and waits a moment for its end, which the facts have. */
  async backUp(): Promise<BackupAnswer> {
    const { post } = this.#options;
    if (this.url === undefined || post === undefined) return 'unknown';
    try {
      const status = await post(`${this.url}/backup`, AbortSignal.timeout(ANSWER_MAX_MS));
      const answer = BACKUP_ANSWERS[status] ?? 'away';
      if (answer !== 'begun') return answer;
      for (let looks = 0; looks < BACKUP_LOOKS_MAX; looks++) {
        await pause(BACKUP_LOOK_MS);
        await this.#readOnce();
        if (this.latest?.status.backups?.under_way !== true) break;
      }
      return answer;
    } catch {
      return 'away';
    }
  }

  #readOnce(): Promise<void> {
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #read(): Promise<void> {
    const { fetchText, clock } = this.#options;
    const signal = AbortSignal.timeout(ANSWER_MAX_MS);
    try {
      const [status, metrics] = await Promise.all(
        ['/status', '/metrics'].map((path) => fetchText(this.url + path, signal)),
      );
      const at = clock();
      const facts = statusIn(status ?? '');
      const { total, failed } = facts.requests;
      const buckets = bucketsIn(metrics ?? '');
      this.hour.add({ at, startedAt: facts.started_at, total, failed, buckets });
      this.latest = { at, status: facts };
    } catch (error) {
      const why = signal.aborted ? `within ${ANSWER_MAX_MS / 1000} s` : reasonOf(error);
      throw new Error(`the operations port ${this.url} gives no usable answer (${why})`);
    }
  }
}

/** A connection's failure by its code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause: unknown = error.cause;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message;
}
