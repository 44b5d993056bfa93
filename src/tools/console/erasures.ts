// Erasures that the console runs in the background: an account may have more
// records than a page can wait for.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupSettings } from '../../hosts/settings.js';
import { backupExpiry, type TimeText } from '../data/erase/backup-expiry.js';
import { eraseRecords } from '../data/erase/erase-command.js';
import { sentenceOf } from '../data/failures.js';
import type { Service } from '../data/service.js';
import type { CommandDependencies } from '../program/command-dependencies.js';

/** Ended erasures that are remembered for their page. */
const ENDED_MAX = 20;
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
  /** How it has ended; a sentence or several. */
  readonly sentence: string;
}

export class Erasures {
  readonly settings: ErasureSettings;
  readonly #service: Service;
  readonly #dependencies: CommandDependencies;
  readonly #timeText: TimeText;
  /** The latest one of each account, in the order of their start. */
  readonly #erasures = new Map<string, Erasure>();
  #underWay: Promise<void> = Promise.resolve();

  constructor(
    settings: ErasureSettings,
    service: Service,
    dependencies: CommandDependencies,
    timeText: TimeText,
  ) {
    this.settings = settings;
    this.#service = service;
    this.#dependencies = dependencies;
    this.#timeText = timeText;
  }

  of(account: string): Erasure | undefined {
    return this.#erasures.get(account);
  }

  /** Whether one is under way, of whatever account: they run one after the other. */
  get isBusy(): boolean {
    return [...this.#erasures.values()].some(({ state }) => state === 'running');
  }

  /** Resolves when it has ended, or after a moment; the page of the account tells the rest. */
  async start(account: string): Promise<void> {
    this.#set({ account, state: 'running', done: 0, total: 0, sentence: '' });
    const ended = this.#run(account).then(
      (sentence) => this.#end(account, 'done', sentence),
      (error: unknown) => this.#end(account, 'failed', sentenceOf(error)),
    );
    this.#underWay = ended;
    let timer: NodeJS.Timeout | undefined;
    const moment = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PAGE_WAITS_MS);
    });
    await Promise.race([ended, moment]);
    clearTimeout(timer);
  }

  /** Resolves when none is under way any more; the dependencies' signal ends one soon. */
  ended(): Promise<void> {
    return this.#underWay;
  }

  async #run(account: string): Promise<string> {
    const { ledger, backups } = this.settings;
    const dependencies: CommandDependencies = {
      ...this.#dependencies,
      progressed: (event, done, total) => {
        if (event === 'erase_progress') this.#progress(account, done, total);
      },
    };
    // What is deleted is what was read before: the list of it is gone with the erasure.
    const folder = await mkdtemp(join(tmpdir(), 'console-erase-'));
    try {
      const options = { account, exportFolder: join(folder, 'export'), ledger, backups };
      const { count, at } = await eraseRecords(options, this.#service, dependencies);
      this.#progress(account, count, count);
      return await backupExpiry(backups, at, this.#timeText);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #progress(account: string, done: number, total: number): void {
    const erasure = this.of(account);
    if (erasure !== undefined) this.#erasures.set(account, { ...erasure, done, total });
  }

  #end(account: string, state: 'done' | 'failed', sentence: string): void {
    const erasure = this.of(account);
    if (erasure !== undefined) this.#set({ ...erasure, state, sentence });
  }

  #set(erasure: Erasure): void {
    this.#erasures.delete(erasure.account);
    this.#erasures.set(erasure.account, erasure);
    for (const [account, { state }] of this.#erasures) {
      if (this.#erasures.size <= ENDED_MAX) break;
      if (state !== 'running') this.#erasures.delete(account);
    }
  }
}
