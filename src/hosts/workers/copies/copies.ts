// Copies every account into a bucket, at the times of the admin Worker's cron trigger. It
// reads accounts, and changes none.

import { readCopySchedule } from '../../settings.js';
import { consoleLog } from '../console-log.js';
import { accountStub, directoryStub, settingsIn } from '../environment.js';
import type { CopiesEnvironment, Round } from './copy-format.js';
import { CopyStep, newRound } from './copy-round.js';
import { RoundState } from './round-state.js';
import { StoredCopies } from './stored-copies.js';

const HOUR_MS = 3_600_000;
/** Triggers come a little early or late. A round that is due within this time begins now; otherwise each round would begin later than the one before. */
const EARLY_MS = 150_000;

/** One invocation: continues the round under way, or begins one that is due. Does nothing without a bucket. */
export async function copyAccounts(env: CopiesEnvironment): Promise<void> {
  const { COPIES: bucket } = env;
  if (bucket === undefined) return;
  const log = consoleLog();
  try {
    const { intervalHours, keep } = readCopySchedule(settingsIn(env));
    const state = await RoundState.read(bucket);
    let { round } = state;
    if (round === undefined || round.stage === 'ended') {
      if (!isDue(round, intervalHours * HOUR_MS)) return;
      round = newRound(Date.now());
      await state.store(round);
    }
    const options = {
      bucket,
      directory: () => directoryStub(env),
      account: (owner: string) => accountStub(env, owner),
      log,
      clock: Date.now,
    };
    const { stage } = await new CopyStep(options, state, round).run();
    if (stage !== 'ended') return;
    const removed = await new StoredCopies(bucket).removeOld(keep);
    if (removed.length > 0) log.info('copies_removed', { copies: removed.join() });
  } catch (error) {
    // The next invocation continues from the stored state.
    log.error('copy_step_failed', error);
  }
}

function isDue(last: Round | undefined, intervalMs: number): boolean {
  if (intervalMs === 0) return false;
  return last === undefined || Date.now() >= Date.parse(last.begun) + intervalMs - EARLY_MS;
}
