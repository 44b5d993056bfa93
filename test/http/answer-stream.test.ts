// The deadline of a long response that nobody reads.

import { afterEach, expect, it, vi } from 'vitest';
import { Admission } from '../../src/core/admission/admission.js';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../../src/core/domain/limits.js';
import { answerStreams } from '../../src/core/http/answer-stream.js';

afterEach(() => void vi.useRealTimers());

it('A long response that is not read within 15 s gives back what it held', async () => {
  vi.useFakeTimers();
  const scheduler = new FairScheduler({ stopwatch: () => 0 });
  const admission = new Admission();
  let isReleased = false;
  async function* texts() {
    try {
      for (;;) yield 'x'.repeat(100_000);
    } finally {
      isReleased = true;
    }
  }
  const reader = answerStreams(scheduler, admission)(texts(), 'neema', () => false).getReader();
  await reader.read();
  expect(admission.heldBytes).toBeGreaterThan(0);
  await vi.advanceTimersByTimeAsync(RESPONSE_WRITE_TIMEOUT_MS);
  await expect(reader.read()).rejects.toThrow('not read in time');
  expect([admission.heldBytes, isReleased]).toEqual([0, true]);
});
