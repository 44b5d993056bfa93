// One scripted life of the server with a fault in it, and whether it bore it as
// is promised.

import { setTimeout as delay } from 'node:timers/promises';
import { Differences, Ledger } from '../load/ledger.js';
import { randomFrom } from '../load/random.js';
import { Hand } from '../load/workload.js';
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

export interface Life {
  end: End;
  differences: Differences;
  /** What it did that it must not. */
  wrongs: string[];
}

export interface Script {
  seed: number;
  isHit: () => boolean;
  mustRecover: boolean;
  killedAtOnce: boolean;
}

/** Lets it live, end or be killed, and looks at what is left. */
export async function oneLife(service: Service, file: string, options: Script): Promise<Life> {
  const ledger = new Ledger();
  const wrongs: string[] = [];
  const started = await service.saw('started').catch(() => undefined);
  const seen = started && (await script(String(started['address']), ledger, wrongs, options));
  // What the stop writes may fail, too: then it has to be let go on.
  const wasHit = options.isHit();
  const isEnding = seen === undefined && wrongs.length === 0;
  if (isEnding)
    await Promise.race([service.exited, delay(END_TIMEOUT_MS, undefined, { ref: false })]);
  const code = await service.end(wasHit ? 'SIGKILL' : 'SIGTERM');
  const stored = await openStored(file);
  if (stored === undefined) {
    wrongs.push(`the file cannot be opened afterwards: ${service.output()}`);
    return { end: 'stopped', differences: new Differences(), wrongs };
  }
  const differences = ledger.compare(stored.rows, stored.events);
  if (differences.count > 0) wrongs.push(String(differences));
  if (seen !== undefined && !isSame(seen, stored)) wrongs.push('memory was not what the file has');
  const end = endOf(service, {
    code,
    isStarted: started !== undefined,
    wasHit,
    isSeen: seen !== undefined,
  });
  if (end === undefined) wrongs.push(`exit code ${code} without a reason: ${service.output()}`);
  const failures = service.log().some(({ event }) => event === 'storage_commit_failed');
  if (end === 'went on' && !failures) return { end: 'took no harm', differences, wrongs };
  return { end: end ?? 'stopped', differences, wrongs };
}

/**
 * The scripted life: changes, one after the other, then a look at everything;
 * undefined where the server went away meanwhile.
 */
async function script(
  origin: string,
  ledger: Ledger,
  wrongs: string[],
  { seed, isHit, mustRecover, killedAtOnce }: Script,
) {
  const client = clientOf(origin);
  try {
    const hand = new Hand({ client, ledger, random: randomFrom(seed), hands: 1 }, 0);
    for (let change = 0; change < CHANGES; change++) {
      if (!(await hand.changeSomething())) return undefined;
      if (killedAtOnce && isHit()) return await readService(client);
    }
    const { acknowledged } = ledger.outcomes;
    for (let change = 0; change < LAST_CHANGES; change++) {
      if (!(await hand.create())) return undefined;
    }
    if (mustRecover && ledger.outcomes.acknowledged === acknowledged) wrongs.push('no recovery');
    return await readService(client);
  } catch (error) {
    // A connection that fails has a code: the server is going away.
    const isGone = error instanceof Error && 'code' in error;
    if (!isGone) wrongs.push(error instanceof Error ? error.message : String(error));
    return undefined;
  } finally {
    client.close();
  }
}

/** How the life ended; undefined: as none may. */
function endOf(
  service: Service,
  life: { code: number | null; isStarted: boolean; wasHit: boolean; isSeen: boolean },
): End | undefined {
  const { code, isStarted, wasHit, isSeen } = life;
  const logged = (event: string) => service.log().some((line) => line.event === event);
  if (!isStarted)
    return code === 1 && REFUSAL.test(service.output()) ? 'refused to start' : undefined;
  if (!isSeen) return code === 1 && logged('storage_lost') ? 'stopped' : undefined;
  if (wasHit || code === 0) return 'went on';
  return code === 1 && (logged('stop_failed') || logged('storage_lost'))
    ? 'failed to stop'
    : undefined;
}
