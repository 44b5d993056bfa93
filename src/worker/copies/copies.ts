// The copies Worker: a script of its own that copies every account into a bucket, at
// the times of its cron trigger. It reads accounts, and changes none.

import { readCopySchedule } from '../../settings.js';
import { consoleLog } from '../console-log.js';
import { accountStub, directoryStub, settingsIn } from '../environment.js';
import { answerBy } from '../maintenance-door.js';
import { answered, type MaintenanceRoute, refused } from '../maintenance-route.js';
import type { CopiesEnvironment, Round } from './copy-format.js';
import { CopyStep, newRound } from './copy-round.js';
import { CopyShelf } from './copy-shelf.js';
import { RoundState } from './round-state.js';

const HOUR_MS = 3_600_000;
/** Triggers come a little early or late. A round that is due within this time begins now; otherwise each round would begin later than the one before. */
const EARLY_MS = 150_000;

const ROUTES: readonly MaintenanceRoute<CopiesEnvironment>[] = [
  { method: 'GET', path: '/copies', action: ({ env }) => listed(env) },
  { method: 'POST', path: '/copies', action: ({ env }) => begun(env) },
];

export function answerCopies(request: Request, env: CopiesEnvironment): Promise<Response> {
  return answerBy(ROUTES, request, env);
}

/** One invocation: continues the round under way, or begins one that is due. */
export async function copyAccounts(env: CopiesEnvironment): Promise<void> {
  const log = consoleLog();
  try {
    const { intervalHours, keep } = readCopySchedule(settingsIn(env));
    const state = await RoundState.read(env.COPIES);
    let { round } = state;
    if (round === undefined || round.stage === 'ended') {
      if (!isDue(round, intervalHours * HOUR_MS)) return;
      round = newRound(Date.now());
      await state.store(round);
    }
    const options = {
      bucket: env.COPIES,
      directory: () => directoryStub(env),
      account: (owner: string) => accountStub(env, owner),
      log,
      clock: Date.now,
    };
    const { stage } = await new CopyStep(options, state, round).run();
    if (stage !== 'ended') return;
    const removed = await new CopyShelf(env.COPIES).removeOld(keep);
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

/** Whole copies, and the round under way. */
async function listed({ COPIES }: CopiesEnvironment): Promise<Response> {
  const manifests = await new CopyShelf(COPIES).whole();
  const whole = manifests.map(({ files: _, ...facts }) => facts);
  const { round } = await RoundState.read(COPIES);
  return answered({ whole, round: round === undefined ? null : factsOf(round) });
}

/** Makes the next invocation begin a round, whatever the schedule says. */
async function begun({ COPIES }: CopiesEnvironment): Promise<Response> {
  const state = await RoundState.read(COPIES);
  if (state.round !== undefined && state.round.stage !== 'ended') {
    return refused(409, `the round of the copy ${state.round.copy} is under way`);
  }
  const round = newRound(Date.now());
  await state.store(round);
  return answered(factsOf(round));
}

function factsOf({ copy, begun, stage, failed, counts }: Round) {
  return { copy, begun, stage, failed, ...counts };
}
