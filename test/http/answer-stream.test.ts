// Long answers: made as the client reads, and let go where it stops reading.

import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Admission } from '../../src/core/admission/admission.js';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { answerStreams } from '../../src/core/http/answer-stream.js';

const UNSLICED = new FairScheduler({ sliceMs: Infinity });
const LIMITS = { accountMaxBytes: 2e6, totalMaxBytes: 2e6, ownShareBytes: 0 };

it('A streamed answer releases its texts and its bytes as soon as the client stops reading', async () => {
  const admission = new Admission(UNSLICED, LIMITS);
  let isLetGo = false;
  async function* texts() {
    try {
      for (;;) yield 'x'.repeat(100_000);
    } finally {
      isLetGo = true;
    }
  }
  const streamed = answerStreams(UNSLICED, admission);
  const reader = streamed(texts(), 'neema', () => false).getReader();
  await reader.read();
  expect([isLetGo, admission.heldBytes > 0]).toEqual([false, true]);
  await reader.cancel();
  expect([isLetGo, admission.heldBytes]).toEqual([true, 0]);
});

/** What one stream holds; a second one of the account waits for it. */
const HELD_BYTES = 393_216;

async function waitingStream(isDisconnected = () => false) {
  // A claim of that size may be three quarters of an account's bytes.
  const admission = new Admission(UNSLICED, { ...LIMITS, accountMaxBytes: 1.5 * HELD_BYTES });
  admission.begin('neema', HELD_BYTES, () => false);
  async function* texts() {
    yield 'x';
  }
  const reader = answerStreams(UNSLICED, admission)(texts(), 'neema', isDisconnected).getReader();
  const reading = reader.read();
  // A stream asks for its first piece in a later turn.
  await setImmediate();
  return { admission, reader, reading };
}

it('A streamed answer that is cancelled as its bytes come gives them back', async () => {
  const { admission, reader, reading } = await waitingStream();
  admission.end('neema', HELD_BYTES);
  await reader.cancel();
  expect(await reading).toEqual({ done: true, value: undefined });
  expect(admission.heldBytes).toBe(0);
});

it('A streamed answer takes no bytes for a client that has gone while it waited', async () => {
  let isGone = false;
  const { admission, reading } = await waitingStream(() => isGone);
  isGone = true;
  admission.end('neema', HELD_BYTES);
  await expect(reading).rejects.toThrow();
  expect(admission.heldBytes).toBe(0);
});
