// The copies of all accounts over the real objects and a real bucket: when a round begins, what
// is left of the copies after it, and what it tells the operator.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { admin } from '../../src/hosts/workers/admin/admin.js';
import { copyAccounts } from '../../src/hosts/workers/copies/copies.js';
import type { CopiesEnvironment, Round } from '../../src/hosts/workers/copies/copy-format.js';
import { RoundState } from '../../src/hosts/workers/copies/round-state.js';
import { type MaintainedService, OPERATOR, openMaintained } from './maintained-service.js';

const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const EARLY_MS = 150_000;

describe('The trigger of the copies', () => {
  let on: MaintainedService;
  let env: Required<CopiesEnvironment>;
  const logged: { level: string; event: string; copies?: string; error?: string }[] = [];

  beforeAll(async () => {
    on = await openMaintained();
    const bindings = await on.miniflare.getBindings<CopiesEnvironment>('copies');
    env = { ...bindings, BACKUP_INTERVAL_HOURS: '24', BACKUP_KEEP: '2' } as typeof env;
    await on.operate('GET', '/admin/overview');
  });
  afterAll(() => on.close());

  beforeEach(() => {
    vi.useFakeTimers({ now: START, toFake: ['Date'] });
    for (const level of ['info', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((line) => logged.push(JSON.parse(line)));
    }
    logged.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** One trigger at a time. Resolves with the round then. */
  async function triggered(at: number, given: object = {}): Promise<Round | undefined> {
    vi.setSystemTime(at);
    await copyAccounts({ ...env, ...given });
    return (await RoundState.read(env.COPIES)).round;
  }

  const events = () => logged.map(({ event }) => event);

  it('begins no round where the schedule is off, and the first one at once where it is on', async () => {
    expect(await triggered(START, { BACKUP_INTERVAL_HOURS: '0' })).toBeUndefined();
    const round = await triggered(START);
    expect(round).toMatchObject({ begun: new Date(START).toISOString(), stage: 'ended' });
    expect(events()).toEqual(['copy_finished']);
  });

  it('does nothing where the script is bound to no bucket', async () => {
    const { COPIES: _, ...unbound } = env;
    await copyAccounts(unbound);
    expect(events()).toEqual([]);
  });

  it('begins the next round when it is due, at most 150 s early', async () => {
    const due = START + 24 * HOUR_MS - EARLY_MS;
    expect((await triggered(due - 1))?.begun).toBe(new Date(START).toISOString());
    expect((await triggered(due))?.begun).toBe(new Date(due).toISOString());
    expect(events()).toEqual(['copy_finished']);
  });

  it('keeps as many whole copies as are wanted, and says which it removed', async () => {
    await triggered(START + 48 * HOUR_MS);
    expect(logged).toMatchObject([
      { level: 'info', event: 'copy_finished' },
      { level: 'info', event: 'copies_removed', copies: '2026-01-01T00-00-00.000Z' },
    ]);
    const response = await admin.request('/copies', { headers: OPERATOR }, env);
    const { data } = (await response.json()) as { data: { whole: { copy: string }[] } };
    expect(data.whole.map(({ copy }) => copy)).toEqual([
      '2026-01-03T00-00-00.000Z',
      '2026-01-01T23-57-30.000Z',
    ]);
  });

  it('logs why an invocation failed, and the next one goes on', async () => {
    const broken = {
      DIRECTORY: {
        idFromName: () => '',
        get: () => ({ knownAccounts: () => Promise.reject(new Error('no answer')) }),
      },
    };
    const begun = { stage: 'accounts', begun: '2026-01-05T00:00:00.000Z' };
    expect(await triggered(START + 96 * HOUR_MS, broken)).toMatchObject(begun);
    expect(logged).toMatchObject([
      { level: 'error', event: 'copy_step_failed', error: expect.stringContaining('no answer') },
    ]);
    const ended = await triggered(START + 97 * HOUR_MS);
    expect(ended).toMatchObject({ ...begun, stage: 'ended' });
  });
});
