// Long answers: made as the client reads, and let go where it stops reading.

import { expect, it } from 'vitest';
import { Admission } from '../../src/core/admission/admission.js';
import { unsliced } from '../../src/core/admission/fair-scheduler.js';
import { answerStreams } from '../../src/core/http/answer-stream.js';

const LIMITS = { accountMaxBytes: 1e6, totalMaxBytes: 1e6, ownShareBytes: 0 };

it('A streamed answer releases its texts and its bytes as soon as the client stops reading', async () => {
  const admission = new Admission(LIMITS);
  let isLetGo = false;
  async function* texts() {
    try {
      for (;;) yield 'x'.repeat(100_000);
    } finally {
      isLetGo = true;
    }
  }
  const reader = answerStreams(unsliced(), admission)('neema')(texts()).getReader();
  await reader.read();
  expect([isLetGo, admission.heldBytes > 0]).toEqual([false, true]);
  await reader.cancel();
  expect([isLetGo, admission.heldBytes]).toEqual([true, 0]);
});
