// The request log: which requests get a line, what is in it, and slow readers.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FinishedRequest } from '../../src/core/service-events.js';
import { openRequestLog } from '../../src/hosts/operations/request-log.js';
import { finishedRequest } from './finished-request.js';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-02T03:04:05Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

async function linesOf(fromMs: number, ...requests: Partial<FinishedRequest>[]) {
  const written: string[] = [];
  const log = openRequestLog(fromMs, async (lines) => void written.push(lines));
  for (const request of requests) log.add(finishedRequest(request));
  await log.flush();
  return written
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('The request log', () => {
  it('has one line per request, with the route instead of the path, and null for what is unknown', async () => {
    const gone = { status: undefined, requestId: undefined, aborted: true };
    expect(await linesOf(0, {}, gone)).toEqual([
      {
        time: '2026-01-02T03:04:05.000Z',
        level: 'info',
        event: 'request',
        request_id: 'req_1',
        method: 'GET',
        route: '/api/v1/customers',
        status: 200,
        milliseconds: 1.23,
        bytes: 512,
        aborted: false,
      },
      expect.objectContaining({ status: null, request_id: null, aborted: true }),
    ]);
  });

  it('of slow requests has those at or above the limit', async () => {
    const lines = await linesOf(500, { milliseconds: 499.9 }, { milliseconds: 500 });
    expect(lines.map(({ milliseconds }) => milliseconds)).toEqual([500]);
  });

  it('drops and counts lines when its reader is slow, and keeps few in memory', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let lines = 0;
    const log = openRequestLog(0, async (batch) => {
      lines += batch.split('\n').length - 1;
      await released;
    });
    for (let i = 0; i < 50_000; i++) log.add(finishedRequest());
    expect(log.dropped()).toBeGreaterThan(40_000);
    release();
    await log.flush();
    expect(lines + log.dropped()).toBe(50_000);
  });

  it('does not delay a stop when its reader stalls', async () => {
    const log = openRequestLog(0, () => new Promise(() => {}));
    log.add(finishedRequest());
    const flushed = log.flush();
    await vi.advanceTimersByTimeAsync(1_000);
    await flushed;
  });
});
