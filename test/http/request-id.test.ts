// Contract, "Common headers", X-Request-ID: how one is generated if none was sent.

import { describe, expect, it } from 'vitest';
import { requestIds } from '../../src/core/http/request-id.js';

const NOW = Date.UTC(2026, 0, 14, 13, 45);

const request = () => new Request('http://localhost/');

describe('A generated request id', () => {
  it('never uses a random byte twice, even for many ids at once', () => {
    let drawn = 0;
    const idOf = requestIds({
      randomBytes: (into) => {
        // A counter over pairs of bytes: a byte used twice would repeat an id.
        for (let i = 0; i < into.length; i += 8) into.set([drawn >> 8, drawn++ & 0xff], i);
      },
      clock: () => NOW,
    });
    const ids = Array.from({ length: 1000 }, () => idOf(request()));
    const wanted = ids.map((_, n) => `req_${n.toString(16).padStart(4, '0')}${'0'.repeat(12)}`);
    expect(ids).toEqual(wanted);
  });

  it('is derived from the time while randomness fails', () => {
    let isBroken = true;
    const idOf = requestIds({
      randomBytes: (into) => {
        if (isBroken) throw new Error('the entropy pool is closed');
        into.fill(0xee);
      },
      clock: () => NOW,
    });
    const id = idOf(request());
    expect(id).toMatch(/^req_[0-9a-f]{16}$/);
    expect(Number.parseInt(id.slice(4), 16)).toBe(NOW);
    isBroken = false;
    expect(idOf(request())).toBe(`req_${'ee'.repeat(8)}`);
  });
});
