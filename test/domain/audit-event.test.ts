// What an audit event stores of a body crafted to be large.

import { describe, expect, it } from 'vitest';
import { type AuditEvent, changedNames, loggedEvent } from '../../src/core/domain/audit-event.js';

const EVENT: AuditEvent = {
  ...({ actor: 'admin', action: 'update', resource: 'orders', record_id: 'ORD-0042' } as const),
  ...{ owner_sub: 'auth0|1', timestamp: '2026-01-02T03:04:05.678Z', changed: ['status', 'paid'] },
};

describe('Names in an audit event', () => {
  it('are at most a thousand, with a count of the rest', () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `p${i}`);
    const { changed, changed_omitted } = changedNames(names);
    expect(changed).toEqual(names.slice(0, 1_000));
    expect(changed_omitted).toBe(99_000);
    expect(changedNames(names.slice(0, 1_000))).not.toHaveProperty('changed_omitted');
  });

  it('are cut at 200 characters, never inside a surrogate pair', () => {
    const [long, pair] = changedNames(['x'.repeat(1_000_000), `${'x'.repeat(199)}💇`]).changed;
    expect(long).toBe('x'.repeat(200));
    expect(pair).toBe('x'.repeat(199));
    for (const sign of ['\u{10000}', '\u{10ffff}']) {
      const whole = `${'x'.repeat(198)}${sign}`;
      expect(changedNames([`${whole}y`]).changed).toEqual([whole]);
    }
  });
});

it('A log line of an audit event has the actor, the record and the number of changed properties', () => {
  const { changed, ...facts } = EVENT;
  expect(loggedEvent({ ...EVENT, changed_omitted: 5 })).toEqual({ ...facts, changed_count: 7 });
});
