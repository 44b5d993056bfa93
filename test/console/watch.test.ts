// What the console asks in the background, and how often; what it makes of the
// operations port.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import type { Overview, Usage } from '../../src/operator-client.js';
import { OperationsPort } from '../../src/tools/console/operations-port.js';
import { WATCH_INTERVAL_MS, Watch } from '../../src/tools/console/watch.js';
import { type ConsoleService, openConsole, openService } from '../support/console-visitor.js';

const OVERVIEW = { tenant_count: 1, record_count: 2 } as Overview;

describe('The watch', () => {
  it('asks for the usage once a minute, and stops when nobody looks', async () => {
    const { watch, asked, pass } = watchOf(async () => ({}) as Usage);
    for (let minute = 0; minute < 30; minute++) {
      await watch.tick();
      pass(WATCH_INTERVAL_MS);
    }
    expect(asked.overview).toBe(30);
    // Five minutes after the start, with nobody looking.
    expect(asked.usage).toBe(6);
    watch.looked();
    expect(asked.usage).toBe(7);
    for (let minute = 0; minute < 3; minute++) {
      watch.looked();
      watch.looked();
      await watch.tick();
      pass(WATCH_INTERVAL_MS);
    }
    expect(asked.usage).toBe(9);
  });

  it('does not ask again while an answer is under way', async () => {
    const { watch, asked } = watchOf(() => new Promise(() => {}));
    for (let tick = 0; tick < 3; tick++) await watch.tick();
    watch.looked();
    expect(asked.usage).toBe(1);
    expect(watch.usage).toBeUndefined();
  });

  it('keeps one day of totals, one a minute, however often they are read', async () => {
    const { watch, pass } = watchOf(async () => ({}) as Usage);
    for (let minute = 0; minute < 1_500; minute++) {
      await watch.tick();
      pass(WATCH_INTERVAL_MS / 10);
      watch.saw(OVERVIEW);
      pass((9 * WATCH_INTERVAL_MS) / 10);
    }
    expect(watch.totals).toHaveLength(1_440);
  });

  it('continues while the service does not answer', async () => {
    const { watch } = watchOf(() => Promise.reject(new Error('away')), true);
    await expect(watch.tick()).resolves.toBeUndefined();
    expect(watch.totals).toEqual([]);
  });

  function watchOf(usage: () => Promise<Usage>, isAway = false) {
    let now = 1_000_000_000_000;
    const asked = { overview: 0, usage: 0 };
    const watch = new Watch({
      client: {
        async overview() {
          asked.overview++;
          if (isAway) throw new Error('away');
          return OVERVIEW;
        },
        usage() {
          asked.usage++;
          return usage();
        },
      },
      clock: () => now,
      sampleToo: () => Promise.reject(new Error('no operations port')),
    });
    return {
      watch,
      asked,
      pass(milliseconds: number) {
        now += milliseconds;
      },
    };
  }
});

describe('The operations port', () => {
  it('is asked at most every two seconds, however many visitors look', async () => {
    const given = { now: 100_000 };
    const { port, asked } = portOf(given);
    await Promise.all([port.facts(), port.facts()]);
    given.now += 1_900;
    await port.facts();
    expect(asked()).toBe(2);
    given.now += 200;
    await port.facts();
    expect(asked()).toBe(4);
  });

  it.each(['<html>', '{}', 'null'])('that answers %s is shown as a sentence', async (text) => {
    const port = new OperationsPort({
      url: 'http://127.0.0.1:1',
      fetchText: async () => text,
      clock: () => 100_000,
    });
    await expect(port.facts()).rejects.toThrow(
      'the operations port http://127.0.0.1:1 gives no usable answer',
    );
  });

  function portOf(given: { now: number }) {
    let asked = 0;
    const port = new OperationsPort({
      url: 'http://127.0.0.1:1',
      clock: () => given.now,
      async fetchText() {
        asked++;
        return JSON.stringify({ ready: true, requests: {}, process: {} });
      },
    });
    return { port, asked: () => asked };
  }
});

describe('The overview', () => {
  let service: ConsoleService;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service?.close());

  it('shows totals before the first usage view, and says that the service is counting', async () => {
    const running = await openConsole({ SERVICE_URL: service.url });
    try {
      const visitor = running.visitor();
      await visitor.signIn(running.codes[0] ?? '');
      const { text } = await visitor.get('/');
      expect(text).toContain(`<dt>Records</dt><dd>${SAMPLE_COUNT}</dd>`);
      expect(text).toMatch(/The service is counting|As asked at/);
      expect(text).toContain('The line begins with the second sample');
    } finally {
      await running.close();
    }
  });

  it('says that the operations port does not answer, and shows the other facts', async () => {
    const running = await openConsole({
      SERVICE_URL: service.url,
      CONSOLE_OPS_URL: 'http://127.0.0.1:1',
    });
    try {
      const visitor = running.visitor();
      await visitor.signIn(running.codes[0] ?? '');
      const { status, text } = await visitor.get('/');
      expect(status).toBe(200);
      expect(text).toContain('gives no usable answer');
    } finally {
      await running.close();
    }
  });
});
