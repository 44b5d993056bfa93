// What an audit event may hold of a body that was made to be large.

import { describe, expect, it } from 'vitest';
import {
  type AuditEvent,
  CHANGED_NAME_MAX_CHARACTERS,
  CHANGED_NAMES_MAX,
  changedNames,
  loggedEvent,
} from '../../src/core/domain/audit-event.js';

const EVENT: AuditEvent = {
  actor: 'admin',
  action: 'update',
  resource: 'orders',
  record_id: 'ORD-0042',
  owner_sub: 'auth0|1',
  timestamp: '2026-01-02T03:04:05.678Z',
  changed: ['status', 'paid'],
};

describe('Names in an audit event', () => {
  it('are unchanged when they are few and short', () => {
    expect(changedNames(['status', 'paid'])).toEqual({ changed: ['status', 'paid'] });
    expect(changedNames([])).toEqual({ changed: [] });
  });

  it('are at most a thousand, with the number of the rest', () => {
    const names = Array.from({ length: 100_000 }, (_, i) => `p${i}`);
    const { changed, changed_omitted } = changedNames(names);
    expect(changed).toEqual(names.slice(0, CHANGED_NAMES_MAX));
    expect(changed_omitted).toBe(99_000);
    expect(changedNames(names.slice(0, CHANGED_NAMES_MAX))).not.toHaveProperty('changed_omitted');
  });

  it('are cut at 200 characters, never inside a surrogate pair', () => {
    const [long, pair] = changedNames(['x'.repeat(1_000_000), `${'x'.repeat(199)}💇`]).changed;
    expect(long).toBe('x'.repeat(CHANGED_NAME_MAX_CHARACTERS));
    expect(pair).toBe('x'.repeat(199));
  });

  it.each(['\u{10000}', '\u{10ffff}'])('are cut before %j, the first and the last pair', (sign) => {
    expect(changedNames([`${'x'.repeat(199)}${sign}`]).changed).toEqual(['x'.repeat(199)]);
    expect(changedNames([`${'x'.repeat(198)}${sign}y`]).changed).toEqual([
      `${'x'.repeat(198)}${sign}`,
    ]);
  });
});

describe('An audit event as a log line', () => {
  it('says who changed what of whom', () => {
    expect(loggedEvent(EVENT)).toEqual({
      ...EVENT,
      changed: 'status,paid',
      changed_count: 2,
    });
  });

  it('stays one line with any number of names', () => {
    const names = Array.from({ length: 5_000 }, (_, i) => `${i}`.padStart(200, 'x'));
    const fields = loggedEvent({ ...EVENT, ...changedNames(names) });
    expect(JSON.stringify(fields).length).toBeLessThan(1_500);
    expect(fields['changed_count']).toBe(5_000);
  });

  it('holds as many names as fit into 1,000 characters with their commas', () => {
    const names = Array.from({ length: 6 }, (_, i) => `${i}`.padStart(199, 'x'));
    const fields = loggedEvent({ ...EVENT, changed: names });
    expect(fields['changed']).toBe(names.slice(0, 5).join(','));
    expect(fields['changed_count']).toBe(6);
  });
});
