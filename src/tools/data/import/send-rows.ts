// Sends the staged rows over several connections, in rounds. At the first failure nothing
// more is sent, and the requests under way end. Then the import finds out which of them
// created a record, and the next round continues.

import { sequenceOf } from '../../../core/domain/identifier.js';
import { ApiError } from '../../../operator-client.js';
import type { Progress } from '../../program/progress.js';
import { CommandError, isPassing, sentenceOf } from '../failures.js';
import { several } from '../several.js';
import { settle, type Target, writesDecided } from './settle.js';
import type { StagedRow, Staging } from './staging.js';

export interface SendOptions {
  readonly target: Target;
  readonly staging: Staging;
  /** The number of the newest record before the first row. */
  readonly newest: number;
  readonly connections: number;
  /** From the file's last row to its first. */
  readonly isReversed: boolean;
  readonly progress: Progress;
  readonly interrupted: AbortSignal;
  /** The service refuses a row that the dry run accepted. Throws if that ends the import. */
  refused(row: StagedRow, message: string): void;
}

const ROWS_AT_ONCE = 64;

/** Resolves when every row is created or refused, or Ctrl-C was pressed. */
export async function sendRows(options: SendOptions): Promise<void> {
  const { target, staging, newest, connections, isReversed, progress, interrupted } = options;
  const { service, account, collection } = target;
  const records = service.records(account, collection);
  let trouble: ApiError | undefined;
  let wait = service.startWaiting();
  for (;;) {
    const before = staging.count('created');
    trouble = undefined;
    await several(rows(), connections, send);
    const ended = trouble as ApiError | undefined;
    if (ended === undefined || interrupted.aborted) return;
    if (staging.count('created') > before) wait = service.startWaiting();
    await wait(ended);
    if (interrupted.aborted) return;
    // After any other failure, records may have been made, or may still be.
    if (ended.status === 429) continue;
    await writesDecided(service, interrupted);
    staging.setAll('open', 'unsure');
    progress.add(await settle(target, staging, newest, 'created'));
  }

  function* rows(): Generator<StagedRow> {
    let last = isReversed ? Number.MAX_SAFE_INTEGER : 0;
    for (;;) {
      const next = staging.open(last, ROWS_AT_ONCE, isReversed);
      for (const row of next) {
        if (interrupted.aborted || trouble !== undefined) return;
        last = row.row;
        yield row;
      }
      if (next.length === 0) return;
    }
  }

  async function send(row: StagedRow): Promise<void> {
    try {
      const { id } = await records.create(JSON.parse(row.body));
      staging.set(row.row, 'created', sequenceOf(collection, id));
      progress.add();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, code, message } = error;
      if (isPassing(error)) {
        // Several connections fail at once: one whose record may be there counts.
        if (trouble === undefined || trouble.status === 429) trouble = error;
      } else if (code === 'QUOTA_EXCEEDED') {
        throw new CommandError(`${message}; no more rows fit`);
      } else if (status !== 422 && code !== 'INVALID_JSON') {
        throw new CommandError(sentenceOf(error), { cause: error });
      } else options.refused(row, `${code}: ${message}`);
    }
  }
}
