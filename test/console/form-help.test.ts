// How a form helps: what is understood by a text, the labels that an account uses
// already, and a new record.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import { formatsFor } from '../../src/tools/console/formats.js';
import { propertiesOf } from '../../src/tools/console/properties.js';
import { typedValue } from '../../src/tools/console/typed-values.js';
import {
  type ConsoleService,
  type OpenConsole,
  openConsole,
  openService,
  plainText,
  valueIn,
} from '../support/console-visitor.js';

const FORMATS = formatsFor('en-TZ', 'Africa/Dar_es_Salaam');

let service: ConsoleService;
let console_: OpenConsole;

beforeAll(async () => {
  service = await openService();
  console_ = await openConsole({ SERVICE_URL: service.url });
});
afterAll(async () => {
  await console_?.close();
  await service?.close();
});

function understood(collection: CollectionName, name: string, text: string) {
  const property = propertiesOf(collection).find((candidate) => candidate.name === name);
  if (property === undefined) throw new Error(`no field ${name}`);
  return typedValue(property, text, FORMATS);
}

describe('A number that is typed', () => {
  it.each([
    ['45000', 45_000],
    [' 45000 ', 45_000],
    ['-3', -3],
  ])('as %j is taken without a question', (text, value) => {
    expect(understood('orders', 'paid', text)).toEqual({ ok: true, value });
  });

  it.each([
    ['12.5', '12.5'],
    ['45.000,50', '45,000.5'],
    ['1,000,000', '1,000,000'],
    ["1'000'000", '1,000,000'],
    ['0,001', '0.001'],
  ])('as %j is shown as %s before it is saved', (text, shown) => {
    const question = `Paid: “${text}” is understood as ${shown}. Is that right?`;
    expect(understood('orders', 'paid', text)).toMatchObject({ ok: true, question });
  });

  it.each([
    ['1.000', '“1.000” could be 1 or 1000; write 1 or 1000.'],
    ['12,500', '“12,500” could be 12500 or 12.5; write 12500 or 12.5.'],
    ['1e6', '“1e6” is not a number; write digits such as 45000, without currency.'],
    ['TZS 5', '“TZS 5” is not a number; write digits such as 45000, without currency.'],
    ['', '“” is not a number; write digits such as 45000, without currency.'],
    ['12345678901234567890', 'has more digits than a number keeps'],
  ])('as %j is refused', (text, sentence) => {
    const outcome = understood('orders', 'paid', text);
    expect(outcome).toEqual({ ok: false, problem: expect.stringContaining(sentence) });
  });
});

describe('A date that is typed', () => {
  it.each([
    '2026-12-31',
    '2024-02-29',
    '2026-12-31T09:30Z',
    '2026-12-31T09:30:00.123Z',
    '2026-12-31T23:59:59+03:00',
  ])('as %s is taken without a question', (text) => {
    expect(understood('orders', 'date', text)).toEqual({ ok: true, value: text });
  });

  it.each(['31/12/2026', '2026-02-30', '2026-13-01', '2026-1-1', 'soon', '2026-12-31T25:00Z'])(
    'as %s asks whether it is kept as it is',
    (text) => {
      for (const collection of ['orders', 'expenses'] as const) {
        const question = expect.stringContaining('Keep it as it is?');
        expect(understood(collection, 'date', text)).toEqual({ ok: true, value: text, question });
      }
    },
  );
});

describe('The labels that an account uses', () => {
  it('are offered for a status, the most frequent first', async () => {
    const { orders } = service.client.recordsOf('labels');
    for (const status of ['Ready', 'At the tailor <b>', 'Ready']) {
      await orders.create({ customer: 'A', service: 'B', amount: 1, status });
    }
    const { text } = await (await console_.signedIn()).get('/accounts/labels/orders/new');
    const [, list = ''] = /<datalist id="labels-status">(.*?)<\/datalist>/.exec(text) ?? [];
    const offered = [...list.matchAll(/value="([^"]*)"/g)].map(([, label = '']) =>
      plainText(label),
    );
    expect(offered).toEqual(['Ready', 'At the tailor <b>']);
    expect(text).toContain('name="field.status" type="text" value="" list="labels-status"');
  });
});

describe('A new record', () => {
  it('is made of the fields that are filled in', async () => {
    const fields = { 'field.name': 'Juma', 'field.phone': '0784', 'field.email': '' };
    const visit = await (await console_.signedIn()).submit('/accounts/mpya/customers/new', fields);
    const [, made = ''] =
      /customers\/(CUS-\d+)\?done=created$/.exec(String(visit.headers['location'])) ?? [];
    const record = await service.client.recordsOf('mpya').customers.read(made);
    expect(record).toEqual({ id: made, owner_sub: 'mpya', name: 'Juma', phone: '0784' });
  });

  it('that is refused keeps the input', async () => {
    const fields = { 'field.name': 'Juma', 'field.phone': '' };
    const visit = await (await console_.signedIn()).submit('/accounts/mpya/customers/new', fields);
    expect(visit.status).toBe(422);
    expect(visit.text).toContain('id="field-phone-problem"><bdi>Phone is required.');
    expect(valueIn(visit.text, 'field.name')).toBe('Juma');
  });
});
