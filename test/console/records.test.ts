// Changing records by forms: what is sent, what is refused, what somebody else
// changed meanwhile.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ConsoleService,
  type OpenConsole,
  openConsole,
  openService,
  plainText,
  tokenIn,
  type Visit,
  type Visitor,
  valueIn,
} from '../support/console-visitor.js';

const ACCOUNT = 'auth0|saluni';
const ORDERS = '/accounts/auth0%7Csaluni/orders';

let service: ConsoleService;
let console_: OpenConsole;
let visitor: Visitor;
let id: string;
let change: string;

beforeAll(async () => {
  service = await openService();
  console_ = await openConsole({ SERVICE_URL: service.url });
  visitor = await console_.signedIn();
});
afterAll(async () => {
  await console_?.close();
  await service?.close();
});
beforeEach(async () => {
  const order = { customer: 'Neema', service: 'Box braids', amount: 45_000, phone: '0713', x: [1] };
  ({ id } = await orders().create(order));
  change = `${ORDERS}/${id}/change`;
});

describe('The fields', () => {
  it('send what differs, and nothing else', async () => {
    const visit = await save({ 'field.amount': '50000', 'field.customer': 'Neema' });
    expect(visit.headers['location']).toBe(`${ORDERS}/${id}?done=saved`);
    expect(await stored()).toMatchObject({ amount: 50_000, phone: '0713', x: [1] });
    const { items } = await service.client.audit.list({ page_size: 1 });
    expect(items[0]).toMatchObject({ action: 'update', record_id: id, changed: ['amount'] });
  });

  it('send no request when nothing differs', async () => {
    const before = (await service.client.audit.list()).pagination.total;
    const visit = await save({ 'field.amount': '45000', 'field.method': '' });
    expect(visit.headers['location']).toBe(`${ORDERS}/${id}?done=unchanged`);
    expect((await service.client.audit.list()).pagination.total).toBe(before);
  });

  it.each([
    ['amount', '-5', 'amount is -5; it must be a number above 0'],
    ['amount', 'many', '“many” is not a number; write digits such as 45000'],
    ['amount', '1.000', '“1.000” could be 1 or 1000; write 1 or 1000'],
    ['amount', '12,500', '“12,500” could be 12500 or 12.5; write 12500 or 12.5'],
    ['amount', '', 'Amount is required.'],
    ['customer', '', 'Customer is required.'],
  ])(
    'show the message of the service at %s = "%s", and keep the other input',
    async (name, text, sentence) => {
      const visit = await save({ [`field.${name}`]: text, 'field.assignee': 'Asha' });
      expect(visit.status).toBe(422);
      const html = plainText(visit.text);
      expect(html).toContain(sentence);
      expect(html).toContain(`id="field-${name}-problem"`);
      expect(valueIn(visit.text, 'field.assignee')).toBe('Asha');
      expect(valueIn(visit.text, `field.${name}`)).toBe(text);
      expect(await stored()).toMatchObject({ amount: 45_000, customer: 'Neema' });
    },
  );

  it('name both fields when two are refused', async () => {
    const visit = await save({ 'field.amount': '0', 'field.service': '' });
    for (const name of ['amount', 'service']) {
      expect(visit.text).toContain(`id="field-${name}-problem"`);
    }
  });

  it('refuse a paid sum that is not a number, which the service would store', async () => {
    const visit = await save({ 'field.paid': 'half' });
    expect(visit.status).toBe(422);
    expect(plainText(visit.text)).toContain('“half” is not a number');
    expect(await stored()).toMatchObject({ paid: 0 });
  });

  it.each([
    ['amount', '45.000,50', 'is understood as 45,000.5', 45_000.5],
    ['amount', '12 500', 'is understood as 12,500', 12_500],
    ['paid', '1 234.5', 'is understood as 1,234.5', 1_234.5],
    ['date', '31/12/2026', 'is not a date', '31/12/2026'],
    ['date', '2026-02-30', 'is not a date', '2026-02-30'],
  ])('ask about %s = "%s" before it is saved', async (name, text, sentence, value) => {
    const before = await stored();
    const asked = await save({ [`field.${name}`]: text, 'field.assignee': 'Asha' });
    expect([asked.status, plainText(asked.text)]).toEqual([200, expect.stringContaining(sentence)]);
    expect(valueIn(asked.text, `field.${name}`)).toBe(text);
    expect(await stored()).toEqual(before);
    const sent = await answer(asked, { [`field.${name}`]: text, 'field.assignee': 'Asha' });
    expect(sent.status).toBe(303);
    expect(await stored()).toMatchObject({ [name]: value, assignee: 'Asha' });
  });

  it('ask again when something else was typed after the question', async () => {
    const asked = await save({ 'field.amount': '45.000,50' });
    const again = await answer(asked, { 'field.amount': '450.000,50' });
    expect([again.status, plainText(again.text)]).toEqual([
      200,
      expect.stringContaining('is understood as 450,000.5'),
    ]);
    expect(await stored()).toMatchObject({ amount: 45_000 });
  });

  it('do not change an amount whose digits could be read in two ways', async () => {
    await orders().update(id, { amount: 1.234 });
    expect((await save({ 'field.assignee': 'Asha' })).status).toBe(303);
    expect(await stored()).toMatchObject({ amount: 1.234, assignee: 'Asha' });
    const { text } = await visitor.get(change);
    expect(valueIn(text, 'field.amount')).toBe('1.2340');
  });

  it('offer null, because a merge cannot remove a property', async () => {
    const asked = await save({ 'field.phone': '' });
    expect(asked.status).toBe(200);
    expect(asked.text).toContain('cannot remove a property: phone');
    expect((await stored())['phone']).toBe('0713');
    const sent = await answer(asked, { 'field.phone': '' });
    expect(sent.status).toBe(303);
    expect((await stored())['phone']).toBeNull();
  });

  it('do not change a value that they cannot show', async () => {
    await orders().update(id, { phone: 713 as unknown as string });
    const page = await visitor.get(change);
    expect(page.text).toContain('not shown as a field');
    expect(page.text).not.toContain('name="field.phone"');
    expect((await save({ 'field.assignee': 'Asha' })).status).toBe(303);
    expect(await stored()).toMatchObject({ phone: 713, assignee: 'Asha' });
  });

  it('keep the line ends of a text', async () => {
    await orders().update(id, { assignee: 'Asha\nHamisi' });
    const visit = await save({ 'field.assignee': 'Asha\r\nHamisi' });
    expect(visit.headers['location']).toContain('done=unchanged');
  });
});

describe('The JSON', () => {
  it('sends the properties that differ, and never id or owner', async () => {
    const json = { ...(await stored()), id: 'ORD-1', owner_sub: 'other', x: { deep: [null] } };
    const visit = await save({ json: JSON.stringify(json), save: 'json' });
    expect(visit.status).toBe(303);
    expect(await stored()).toMatchObject({ id, owner_sub: ACCOUNT, x: { deep: [null] } });
    const { items } = await service.client.audit.list({ page_size: 1 });
    expect(items[0]?.changed).toEqual(['x']);
  });

  it.each([
    ['{', 'not JSON'],
    ['[]', 'the text is an array; send one JSON object'],
    ['{"amount":1e999}', 'too large for double precision'],
  ])('that is %s is refused, and the input is kept', async (json, sentence) => {
    const visit = await save({ json, save: 'json' });
    expect(visit.status).toBe(422);
    expect(plainText(visit.text)).toContain(sentence);
    expect(plainText(visit.text)).toContain(`>\n${json}</textarea>`);
  });

  it('says which properties it cannot remove', async () => {
    const { x: _x, ...rest } = await stored();
    const visit = await save({ json: JSON.stringify(rest), save: 'json' });
    expect(visit.text).toContain('cannot remove a property: x');
    expect(visit.text).toContain('value="json-sure"');
  });

  it('asks about a date that is none', async () => {
    const json = JSON.stringify({ ...(await stored()), date: '31.12.2026' });
    const asked = await save({ json, save: 'json' });
    expect(plainText(asked.text)).toContain('“31.12.2026” is not a date');
    const sent = await answer(asked, { json, save: 'json-sure' });
    expect(sent.status).toBe(303);
    expect(await stored()).toMatchObject({ date: '31.12.2026' });
  });

  it('holds a key such as __proto__ as data', async () => {
    const text = JSON.stringify(await stored()).replace('{', '{"__proto__":{"a":1},');
    expect((await save({ json: text, save: 'json' })).status).toBe(303);
    expect(JSON.stringify(await stored())).toContain('"__proto__":{"a":1}');
  });
});

describe('A record that somebody changed meanwhile', () => {
  it('is shown beside the input, and overwritten only by a second save', async () => {
    const opened = await visitor.get(change);
    await orders().update(id, { amount: 60_000, assignee: 'Hamisi' });
    const conflict = await post(opened, { 'field.amount': '70000' });
    expect(conflict.status).toBe(409);
    expect(conflict.text).toContain('Somebody changed this record meanwhile');
    for (const text of ['45000', '60000', '70000', 'Hamisi']) {
      expect(conflict.text).toContain(text);
    }
    expect(await stored()).toMatchObject({ amount: 60_000 });
    const saved = await post(conflict, {
      'field.amount': valueIn(conflict.text, 'field.amount'),
      'field.assignee': valueIn(conflict.text, 'field.assignee'),
    });
    expect(saved.status).toBe(303);
    expect(await stored()).toMatchObject({ amount: 70_000, assignee: 'Hamisi' });
  });

  it('is shown again when it changes once more', async () => {
    const opened = await visitor.get(change);
    await orders().update(id, { amount: 60_000 });
    const conflict = await post(opened, { 'field.amount': '70000' });
    await orders().update(id, { amount: 61_000 });
    expect((await post(conflict, { 'field.amount': '70000' })).status).toBe(409);
    expect(await stored()).toMatchObject({ amount: 61_000 });
  });

  it('and then deleted is offered as a new record with the input', async () => {
    const opened = await visitor.get(change);
    await orders().delete(id);
    const gone = await post(opened, { 'field.amount': '70000' });
    expect(gone.status).toBe(409);
    expect(gone.text).toContain('Somebody deleted this record meanwhile');
    expect(gone.text).toContain(`action="${ORDERS}/new"`);
    expect(valueIn(gone.text, 'field.amount')).toBe('70000');
    expect(valueIn(gone.text, 'field.customer')).toBe('Neema');
  });
});

describe('Deleting', () => {
  it('does not delete a record that changed since the question was shown', async () => {
    const question = await visitor.get(`${ORDERS}/${id}/delete`);
    await orders().update(id, { amount: 99_000 });
    const send = (page: Visit) =>
      visitor.post(`${ORDERS}/${id}/delete`, {
        token: tokenIn(page.text),
        base: valueIn(page.text, 'base'),
      });
    const changed = await send(question);
    expect(changed.status).toBe(409);
    expect(changed.text).toContain('nothing was deleted');
    expect(changed.text).toContain('99,000');
    expect(await stored()).toMatchObject({ amount: 99_000 });
    expect((await send(changed)).status).toBe(303);
  });

  it('asks on a page of its own, then deletes', async () => {
    const question = await visitor.get(`${ORDERS}/${id}/delete`);
    expect(question.text).toContain('This cannot be undone');
    expect((await stored())['id']).toBe(id);
    const visit = await visitor.submit(`${ORDERS}/${id}/delete`, {
      base: valueIn(question.text, 'base'),
    });
    expect(visit.headers['location']).toBe(`${ORDERS}?done=deleted`);
    await expect(stored()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const again = await visitor.get(`${ORDERS}/${id}`);
    expect(again.status).toBe(404);
    expect(again.text).toContain('no such record');
  });
});

function orders() {
  return service.client.recordsOf(ACCOUNT).orders;
}

async function stored(): Promise<Record<string, unknown>> {
  return (await orders().read(id)) as Record<string, unknown>;
}

/** Opens the form and sends it with these texts. */
async function save(fields: Readonly<Record<string, string>>): Promise<Visit> {
  return post(await visitor.get(change), fields);
}

/** Sends the form of a page that was opened before. */
function post(opened: Visit, fields: Readonly<Record<string, string>>): Promise<Visit> {
  const base = valueIn(opened.text, 'base');
  return visitor.post(change, { token: tokenIn(opened.text), base, save: 'fields', ...fields });
}

/** Says yes to what the console has asked. */
function answer(asked: Visit, fields: Readonly<Record<string, string>>): Promise<Visit> {
  return post(asked, { save: 'fields-sure', asked: valueIn(asked.text, 'asked'), ...fields });
}
