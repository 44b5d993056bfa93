// Erasures run in the background, one at a time: an account may have more records than a page can
// wait for.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BackupSettings } from '../../hosts/settings.js';
import { backupExpiry } from '../data/erase/backup-expiry.js';
import { eraseRecords } from '../data/erase/erase-command.js';
import { sentenceOf } from '../data/failures.js';
import type { Service } from '../data/service.js';
import type { Call } from '../program/command.js';

/** Time enough to erase a small account before its page is shown. */
const PAGE_WAITS_MS = 1_500;

export interface ErasureParts {
  /** Undefined: erasures aren't recorded. */
  readonly ledger: string | undefined;
  /** Backups that may still hold the records. */
  readonly backups: BackupSettings | undefined;
  readonly service: Service;
  readonly dependencies: Call;
  readonly timeText: (time: number) => string;
}

export interface Erasure {
  readonly account: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly done: number;
  readonly total: number;
  /** How it ended. */
  readonly sentence: string;
}

export class Erasures {
  readonly parts: ErasureParts;
  #latest: Erasure | undefined;
  /** Resolves when none is running. The dependencies' signal stops one early. */
  ended: Promise<void> = Promise.resolve();

  constructor(parts: ErasureParts) {
    this.parts = parts;
  }

  /** The latest erasure, if it is this account's. */
  of(account: string): Erasure | undefined {
    return this.#latest?.account === account ? this.#latest : undefined;
  }

  get isBusy(): boolean {
    return this.#latest?.state === 'running';
  }

  /** Resolves when it has ended, or after a short wait. */
  async start(account: string): Promise<void> {
    this.#latest = { account, state: 'running', done: 0, total: 0, sentence: '' };
    this.ended = this.#run(account).then(
      (sentence) => this.#set({ state: 'done', sentence }),
      (error: unknown) => this.#set({ state: 'failed', sentence: sentenceOf(error) }),
    );
    await Promise.race([this.ended, pause(PAGE_WAITS_MS, undefined, { ref: false })]);
  }

  async #run(account: string): Promise<string> {
    const { ledger, backups, service, dependencies, timeText } = this.parts;
    const progressed = (event: string, done: number, total: number) => {
      if (event === 'erase_progress') this.#set({ done, total });
    };
    // Exactly what was read is deleted; the list is removed afterwards.
    const folder = await mkdtemp(join(tmpdir(), 'console-erase-'));
    try {
      const options = { account, exportFolder: join(folder, 'export'), ledger, backups };
      const { count, at } = await eraseRecords(options, service, { ...dependencies, progressed });
      this.#set({ done: count, total: count });
      return await backupExpiry(backups, at, timeText);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #set(change: Partial<Erasure>): void {
    if (this.#latest !== undefined) this.#latest = { ...this.#latest, ...change };
  }
}
