// One scripted run of the server with a fault in it, and whether it bore it as
// is promised.

import { setTimeout as delay } from 'node:timers/promises';
import { Differences, Ledger } from '../load/ledger.js';
import { randomFrom } from '../load/random.js';
import { LoadWorker } from '../load/workload.js';
import { clientOf } from '../service/requests.js';
import type { Service } from '../service/service-process.js';
import { isSame, openStored, readService } from '../service/stored.js';

const CHANGES = 24;
/** The service's own is 15 s. */
const END_TIMEOUT_MS = 20_000;
const REFUSAL = /"start_failed","error":"the database file \S+ cannot be used: its disk /;
/** One of these must be taken, where not everything fails for good. */
const LAST_CHANGES = 3;

export type End = 'went on' | 'stopped' | 'refused to start' | 'failed to stop' | 'took no harm';

export interface FaultRun {
  end: End;
  differences: Differences;
  /** What it did that it must not. */
  mistakes: string[];
}

export interface Script {
  seed: number;
  isHit: () => boolean;
  mustRecover: boolean;
  killedAtOnce: boolean;
}

/** Lets it live, end or be killed, and looks at what is left. */
export async function runWithFault(
  service: Service,
  file: string,
  options: Script,
): Promise<FaultRun> {
  const ledger = new Ledger();
  const mistakes: string[] = [];
  const started = await service.saw('started').catch(() => undefined);
  const seen = started && (await script(String(started['address']), ledger, mistakes, options));
  // What the stop writes may fail, too: then it has to be let go on.
  const wasHit = options.isHit();
  const isEnding = seen === undefined && mistakes.length === 0;
  if (isEnding)
    await Promise.race([service.exited, delay(END_TIMEOUT_MS, undefined, { ref: false })]);
  const code = await service.end(wasHit ? 'SIGKILL' : 'SIGTERM');
  const stored = await openStored(file);
  if (stored === undefined) {
    mistakes.push(`the file cannot be opened afterwards: ${service.output()}`);
    return { end: 'stopped', differences: new Differences(), mistakes };
  }
  const differences = ledger.compare(stored.rows, stored.events);
  if (differences.count > 0) mistakes.push(String(differences));
  if (seen !== undefined && !isSame(seen, stored))
    mistakes.push('memory was not what the file has');
  const end = endOf(service, {
    code,
    isStarted: started !== undefined,
    wasHit,
    isSeen: seen !== undefined,
  });
  if (end === undefined) mistakes.push(`exit code ${code} without a reason: ${service.output()}`);
  const failures = service.log().some(({ event }) => event === 'storage_commit_failed');
  if (end === 'went on' && !failures) return { end: 'took no harm', differences, mistakes };
  return { end: end ?? 'stopped', differences, mistakes };
}

/**
 * The scripted run: changes, one after the other, then a look at everything;
 * undefined where the server went away meanwhile.
 */
async function script(
  origin: string,
  ledger: Ledger,
  mistakes: string[],
  { seed, isHit, mustRecover, killedAtOnce }: Script,
) {
  const client = clientOf(origin);
  try {
    const worker = new LoadWorker({ client, ledger, random: randomFrom(seed), workers: 1 }, 0);
    for (let change = 0; change < CHANGES; change++) {
      if (!(await worker.changeSomething())) return undefined;
      if (killedAtOnce && isHit()) return await readService(client);
    }
    const { acknowledged } = ledger.outcomes;
    for (let change = 0; change < LAST_CHANGES; change++) {
      if (!(await worker.create())) return undefined;
    }
    if (mustRecover && ledger.outcomes.acknowledged === acknowledged) mistakes.push('no recovery');
    return await readService(client);
  } catch (error) {
    // A connection that fails has a code: the server is going away.
    const isGone = error instanceof Error && 'code' in error;
    if (!isGone) mistakes.push(error instanceof Error ? error.message : String(error));
    return undefined;
  } finally {
    client.close();
  }
}

/** How the run ended; undefined: as none may. */
function endOf(
  service: Service,
  run: { code: number | null; isStarted: boolean; wasHit: boolean; isSeen: boolean },
): End | undefined {
  const { code, isStarted, wasHit, isSeen } = run;
  const logged = (event: string) => service.log().some((line) => line.event === event);
  if (!isStarted)
    return code === 1 && REFUSAL.test(service.output()) ? 'refused to start' : undefined;
  if (!isSeen) return code === 1 && logged('storage_lost') ? 'stopped' : undefined;
  if (wasHit || code === 0) return 'went on';
  return code === 1 && (logged('stop_failed') || logged('storage_lost'))
    ? 'failed to stop'
    : undefined;
}
