// A document of the provider: how it is asked for, how many callers share one fetch,
// and how long it is kept.

import { describe, expect, it } from 'vitest';
import { KeptDocument } from '../../src/identity/kept-document.js';

const URL = 'https://id.example.com/keys';
const { signal } = new AbortController();

/** A document whose fetches are kept with their options; each answers with its number. */
function opened(joined = true) {
  const asked: (RequestInit | undefined)[] = [];
  const clock = { now: 10_000_000 };
  const document = new KeptDocument({
    name: 'the keys',
    url: async () => URL,
    read: (json) => json,
    fetch: async (_, options) => {
      asked.push(options);
      return Response.json(asked.length);
    },
    clock: () => clock.now,
    joined,
  });
  return { asked, clock, document };
}

describe('A document of the provider', () => {
  it('is asked for as JSON, and a redirect is not followed', async () => {
    const { asked, document } = opened();
    await document.get(signal);
    expect(asked).toEqual([
      { headers: { accept: 'application/json' }, redirect: 'manual', signal },
    ]);
  });

  it.each([
    [1, true],
    [2, false],
  ])('is fetched %i times for two callers at once, with sharing %s', async (times, joined) => {
    const { asked, document } = opened(joined);
    await Promise.all([document.get(signal), document.get(signal)]);
    expect(asked).toHaveLength(times);
  });

  it('is fetched again after the clock was set back', async () => {
    const { clock, document } = opened();
    expect(await document.get(signal)).toBe(1);
    clock.now -= 1;
    expect(await document.get(signal)).toBe(2);
  });
});
