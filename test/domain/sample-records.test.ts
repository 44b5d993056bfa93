// Contract, "Common record rules": the rows that a new database receives. They
// are a client's first sight of the service, so they must be true to it.

import { describe, expect, it } from 'vitest';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import type { JsonObject } from '../../src/core/domain/json.js';
import { paymentOf } from '../../src/core/domain/payment.js';
import { validated } from '../../src/core/domain/record.js';
import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../../src/core/domain/sample-records.js';
import { sampleRows } from '../../src/core/records/sample-rows.js';
import { COLLECTION_TABLE } from '../support/collection-table.js';

function bodiesOf(collection: string): JsonObject[] {
  return SAMPLE_RECORDS.filter((sample) => sample.collection === collection).map(
    ({ body }) => body,
  );
}

function stored(collection: string): JsonObject[] {
  return sampleRows()
    .filter((row) => row.collection === collection)
    .map((row) => JSON.parse(row.body));
}

describe('the sample records', () => {
  it.each(COLLECTION_NAMES)('have some %s, and each passes the validation', (name) => {
    const bodies = bodiesOf(name);
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) expect(validated(name, body)).toMatchObject({ ok: true });
  });

  it('show every situation of payment: none, some, all, too much', () => {
    const payments = stored('orders').map(paymentOf);
    expect(payments.some(({ paid }) => paid === 0)).toBe(true);
    expect(payments.some(({ paid, due }) => paid > 0 && due > 0)).toBe(true);
    expect(payments.some(({ due }) => due === 0)).toBe(true);
    expect(payments.some(({ due }) => due < 0)).toBe(true);
    expect(new Set(payments.map(({ status }) => status))).toEqual(new Set(['paid', 'pending']));
  });

  it('show several order states and both states of a service', () => {
    const states = new Set(stored('orders').map((order) => order['status']));
    expect(states).toEqual(new Set(['New', 'In progress', 'Ready']));
    expect(new Set(stored('services').map((service) => service['active']))).toEqual(
      new Set([true, false]),
    );
  });

  it('name customers, services and people that exist', () => {
    const names = (collection: string) => bodiesOf(collection).map((body) => body['name']);
    for (const order of bodiesOf('orders')) {
      expect(names('customers')).toContain(order['customer']);
      expect(names('services')).toContain(order['service']);
      if (order['assignee'] !== undefined) expect(names('team')).toContain(order['assignee']);
    }
  });

  it('hold TZS amounts without cents, and nobody’s real mail address', () => {
    for (const { body } of SAMPLE_RECORDS) {
      for (const name of ['price', 'amount', 'paid']) {
        if (Object.hasOwn(body, name)) expect(Number(body[name]) % 500).toBe(0);
      }
      expect(body['currency'] ?? 'TZS').toBe('TZS');
      if (body['email'] !== undefined) expect(body['email']).toMatch(/@example\.com$/);
    }
  });
});

describe('the sample rows', () => {
  it('belong to the reserved subject, in position from 1', () => {
    const rows = sampleRows();
    expect(rows.map((row) => row.position)).toEqual(rows.map((_, index) => index + 1));
    for (const row of rows) {
      const record = JSON.parse(row.body);
      expect(record.owner_sub).toBe(SAMPLE_OWNER);
      expect(record.ownerSub).toBe(row.collection === 'businesses' ? SAMPLE_OWNER : undefined);
      expect(record.id).toBe(row.id);
    }
    expect(SAMPLE_OWNER).toBe('local-preview');
  });

  it.each(COLLECTION_TABLE)('$name take the first ids, without a gap', (row) => {
    const ids = stored(row.name).map((record) => record['id']);
    const digits = (_: unknown, index: number) => String(index + 1).padStart(row.idDigitsMin, '0');
    expect(ids).toEqual(ids.map(digits).map((number) => row.idPrefix + number));
  });
});
