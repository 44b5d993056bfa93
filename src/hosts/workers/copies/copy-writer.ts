// Writes a round's lines into files of a bounded size, and stores the progress of the
// round after each file.

import type { R2Bucket } from '@cloudflare/workers-types';
import { CopyFile } from './copy-file.js';
import type { CopiedFile, IndexedAccount, Round, Stretch } from './copy-format.js';
import type { RoundState } from './round-state.js';

export class CopyWriter {
  readonly #bucket: R2Bucket;
  readonly #state: RoundState;
  #round: Round;
  #file: CopyFile | undefined;
  #indexed: IndexedAccount[] = [];
  #putBytes = 0;
  #puts = 0;

  constructor(bucket: R2Bucket, state: RoundState, round: Round) {
    this.#bucket = bucket;
    this.#state = state;
    this.#round = round;
  }

  get round(): Round {
    return this.#round;
  }

  /** Stored with the next file. */
  change(part: Partial<Round>): void {
    this.#round = { ...this.#round, ...part };
  }

  /** Bytes that this writer was given. */
  get bytes(): number {
    return this.#putBytes + (this.#file?.bytes ?? 0);
  }

  /** Calls of the bucket. */
  get calls(): number {
    return this.#puts;
  }

  add(line: string): void {
    this.#file ??= this.#newFile(this.#round.stage === 'audit' ? 'audit' : 'accounts');
    this.#file.add(line);
  }

  get isFull(): boolean {
    return this.#file?.isFull ?? false;
  }

  /** The places of the lines since the last call; empty if there were none. */
  stretches(): Stretch[] {
    const stretch = this.#file?.stretch();
    return stretch === undefined || stretch.bytes === 0 ? [] : [stretch];
  }

  index(account: IndexedAccount): void {
    this.#indexed.push(account);
  }

  /** Puts the lines into the bucket and stores the progress of the round. */
  async store(): Promise<void> {
    const files = [...this.#round.files];
    if (this.#file !== undefined) files.push(await this.#put(this.#file));
    this.#file = undefined;
    if (this.#indexed.length > 0) files.push(await this.#putIndex());
    this.change({ files });
    await this.#state.store(this.#round);
    this.#puts++;
  }

  async #putIndex(): Promise<CopiedFile> {
    const index = this.#newFile('index');
    let [first, last] = [this.#indexed[0]?.account ?? '', ''];
    for (const indexed of this.#indexed) {
      index.add(JSON.stringify(indexed));
      if (indexed.account < first) first = indexed.account;
      if (indexed.account > last) last = indexed.account;
    }
    this.#indexed = [];
    return { ...(await this.#put(index)), first, last };
  }

  async #put(file: CopyFile): Promise<CopiedFile> {
    const put = await file.put(this.#bucket, this.#round.copy);
    this.#putBytes += put.bytes;
    this.#puts++;
    return put;
  }

  #newFile(content: CopiedFile['content']): CopyFile {
    const number = this.#round.files.filter((file) => file.content === content).length + 1;
    return new CopyFile(content, number);
  }
}
