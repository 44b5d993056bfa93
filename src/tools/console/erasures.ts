// Erasures in the background, one at a time: an account may have more records than a page can wait
// for.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupSettings } from '../../hosts/settings.js';
import { backupExpiry } from '../data/erase/backup-expiry.js';
import { eraseRecords } from '../data/erase/erase-command.js';
import { sentenceOf } from '../data/failures.js';
import type { Service } from '../data/service.js';
import type { CommandDependencies } from '../program/command-dependencies.js';

/** A small account is erased before its page is shown. */
const PAGE_WAITS_MS = 1_500;

/** Which ledger gets a line, and which backups may still hold the records. */
export interface ErasureSettings {
  readonly ledger: string | undefined;
  readonly backups: BackupSettings | undefined;
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
  readonly settings: ErasureSettings;
  readonly #service: Service;
  readonly #dependencies: CommandDependencies;
  readonly #timeText: (time: number) => string;
  #latest: Erasure | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(
    settings: ErasureSettings,
    service: Service,
    dependencies: CommandDependencies,
    timeText: (time: number) => string,
  ) {
    this.settings = settings;
    this.#service = service;
    this.#dependencies = dependencies;
    this.#timeText = timeText;
  }

  /** The account's, if it was the latest one. */
  of(account: string): Erasure | undefined {
    return this.#latest?.account === account ? this.#latest : undefined;
  }

  get isBusy(): boolean {
    return this.#latest?.state === 'running';
  }

  /** Resolves when it has ended, or after a moment. */
  async start(account: string): Promise<void> {
    this.#latest = { account, state: 'running', done: 0, total: 0, sentence: '' };
    this.#ended = this.#run(account).then(
      (sentence) => this.#set({ state: 'done', sentence }),
      (error: unknown) => this.#set({ state: 'failed', sentence: sentenceOf(error) }),
    );
    let timer: NodeJS.Timeout | undefined;
    const moment = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PAGE_WAITS_MS);
    });
    await Promise.race([this.#ended, moment]);
    clearTimeout(timer);
  }

  /** Resolves when none is running; the dependencies' signal ends one soon. */
  ended(): Promise<void> {
    return this.#ended;
  }

  async #run(account: string): Promise<string> {
    const { ledger, backups } = this.settings;
    const dependencies: CommandDependencies = {
      ...this.#dependencies,
      progressed: (event, done, total) => {
        if (event === 'erase_progress') this.#set({ done, total });
      },
    };
    // What is deleted is what was read before; the list goes with the erasure.
    const folder = await mkdtemp(join(tmpdir(), 'console-erase-'));
    try {
      const options = { account, exportFolder: join(folder, 'export'), ledger, backups };
      const { count, at } = await eraseRecords(options, this.#service, dependencies);
      this.#set({ done: count, total: count });
      return await backupExpiry(backups, at, this.#timeText);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #set(change: Partial<Erasure>): void {
    if (this.#latest !== undefined) this.#latest = { ...this.#latest, ...change };
  }
}
