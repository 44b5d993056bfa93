// Long answers: made as the client reads, and let go where it stops reading.

import { expect, it } from 'vitest';
import { answerStreams } from '../../src/http/answer-stream.js';
import { ByteAllowance } from '../../src/http/byte-allowance.js';
import { noTurns } from '../../src/turns.js';

const LIMITS = { accountMaxBytes: 1e6, totalMaxBytes: 1e6, ownShareBytes: 0 };

it('A streamed answer releases its texts and its bytes as soon as the client stops reading', async () => {
  const allowance = new ByteAllowance(LIMITS);
  let isLetGo = false;
  async function* texts() {
    try {
      for (;;) yield 'x'.repeat(100_000);
    } finally {
      isLetGo = true;
    }
  }
  const reader = answerStreams(noTurns(), allowance)('neema')(texts()).getReader();
  await reader.read();
  expect([isLetGo, allowance.heldBytes > 0]).toEqual([false, true]);
  await reader.cancel();
  expect([isLetGo, allowance.heldBytes]).toEqual([true, 0]);
});
