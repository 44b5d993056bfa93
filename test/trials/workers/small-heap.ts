// One account creates records of 1 MiB until it is refused, on a runtime with the heap of
// the platform's isolates, while another account reads and writes. Without the limit
// of an account the same load ends the runtime, so the trial shows what the limit is worth.

import { join } from 'node:path';
import { memoryOf } from '../../../scripts/bench/processes.js';
import { asAccount, openIdentityStub } from '../../support/identity-stub.js';
import type { Finding, TrialOptions } from '../trial.js';
import { startSmallRuntime } from './small-runtime.js';

/** Of an isolate: https://developers.cloudflare.com/workers/platform/limits/#memory */
const HEAP_FLAGS = ['--max-old-space-size=128'];
const CREATES = 200;
/** With the record's other properties the body stays below 1 MiB. */
const NOTE = 'x'.repeat(1_048_576 - 200);
const NEIGHBOUR = asAccount('neighbour');
const ATTACKER = asAccount('attacker');

export async function smallHeap({
  folder,
  say,
}: Pick<TrialOptions, 'folder' | 'say'>): Promise<Finding[]> {
  const identity = await openIdentityStub();
  const settings = { AUTH_USERINFO_URL: identity.url, AUTH_CACHE_SECONDS: '300' };
  try {
    say(`${CREATES} creates of 1 MiB with the default limit`);
    const bounded = await load({ folder: join(folder, 'bounded'), settings });
    say('the same without a limit');
    const unbounded = { ...settings, ACCOUNT_MAX_BYTES: '0' };
    const free = await load({ folder: join(folder, 'unbounded'), settings: unbounded });
    return [boundedFinding(bounded), unboundedFinding(free)];
  } finally {
    await identity.close();
  }
}

interface Seen {
  created: number;
  refused: number;
  /** Of the attacker: neither created nor refused for its size. */
  other: string[];
  answered: number;
  /** Of the neighbour. */
  failed: string[];
  isRunning: boolean;
  peakBytes: number;
  /** Records of the attacker after the runtime was started again. */
  loaded: number | string;
  afterDeletion: number | string;
}

async function load(options: { folder: string; settings: Record<string, string> }): Promise<Seen> {
  const started = { ...options, v8Flags: HEAP_FLAGS };
  let runtime = await startSmallRuntime(started);
  const [seen, status] = [emptySeen(), statuses(runtime.origin)];
  try {
    for (let i = 0; i < CREATES; i++) {
      const [created, written] = await Promise.all([
        status('POST', '/customers', ATTACKER, { name: 'x', phone: '1', note: NOTE }),
        i % 2 === 0
          ? status('POST', '/customers', NEIGHBOUR, { name: 'Neema', phone: '1' })
          : status('GET', '/customers?q=neema', NEIGHBOUR),
      ]);
      if (created === 201) seen.created++;
      else if (created === 422) seen.refused++;
      else seen.other.push(String(created));
      if (written === 200 || written === 201) seen.answered++;
      else seen.failed.push(String(written));
    }
    seen.isRunning = runtime.isRunning();
    if (!seen.isRunning) return seen;
    seen.peakBytes = memoryOf(runtime.pid).peak;
    await runtime.stop();
    runtime = await startSmallRuntime(started);
    const again = statuses(runtime.origin);
    seen.loaded = await again('GET', '/customers?page_size=1&q=x', ATTACKER);
    await again('DELETE', '/customers/CUS-0001', ATTACKER);
    const small = { name: 'x', phone: '1', note: NOTE.slice(0, 900_000) };
    seen.afterDeletion = await again('POST', '/customers', ATTACKER, small);
    return seen;
  } finally {
    await runtime.stop();
  }
}

function emptySeen(): Seen {
  const counts = { created: 0, refused: 0, answered: 0, peakBytes: 0 };
  return { ...counts, other: [], failed: [], isRunning: false, loaded: '', afterDeletion: '' };
}

/** Resolves with the status, or with the code of what broke the connection. */
function statuses(origin: string) {
  return async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    try {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${origin}/api/v1${path}`, { method, headers, ...init });
      await response.arrayBuffer();
      return response.status;
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      return cause instanceof Error && 'code' in cause ? String(cause.code) : 'broken';
    }
  };
}

function boundedFinding(seen: Seen): Finding {
  const { created, refused, other, answered, failed, isRunning, peakBytes } = seen;
  return {
    fault: `one account creates ${CREATES} records of 1 MiB in an isolate of 128 MB`,
    tried: `${CREATES} creates, ${CREATES} requests of a neighbour, one restart`,
    found: `${created} created, ${refused} refused with 422, ${other.length} otherwise; the neighbour: ${answered} answered, ${failed.length} failed; ${(peakBytes / 1e6).toFixed(1)} MB at most; after a restart a search ${seen.loaded}, a create after a deletion ${seen.afterDeletion}`,
    holds:
      isRunning &&
      created + refused === CREATES &&
      created > 0 &&
      refused > 0 &&
      failed.length === 0 &&
      seen.loaded === 200 &&
      seen.afterDeletion === 201,
  };
}

/** Says whether the load is one that the limit is needed for. */
function unboundedFinding({ created, other, failed, isRunning }: Seen): Finding {
  return {
    fault: 'the same load without ACCOUNT_MAX_BYTES, for comparison: the isolate must end',
    tried: `${CREATES} creates, ${CREATES} requests of a neighbour`,
    found: `${created} created, then ${isRunning ? 'the runtime went on' : 'the runtime ended'}: ${other.length} creates and ${failed.length} requests of the neighbour failed`,
    holds: !isRunning,
  };
}
