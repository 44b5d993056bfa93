// The form of a record: what it accepts and sends, that it is processed once, and what happens if
// someone else changed the record or the session has expired.

import { beforeEach, describe, expect, it } from 'vitest';
import {
  consoleOfFile,
  hiddenIn,
  plainText,
  type Visit,
  valueIn,
} from '../support/console-visitor.js';

const ACCOUNT = 'auth0|saluni';
const ORDERS = '/accounts/auth0%7Csaluni/orders';
const NEW = `${ORDERS}/new`;

type Texts = Readonly<Record<string, string>>;

const on = consoleOfFile();
const orders = () => on.service.client.recordsOf(ACCOUNT).orders;
const total = async () => (await orders().list({ page_size: 1 })).pagination.total;
const latestEvent = async () => (await on.service.client.audit.list({ page_size: 1 })).items[0];
let id: string;
let change: string;

beforeEach(async () => {
  const order = { customer: 'Neema', service: 'Box braids', amount: 61_000, phone: '0713', x: [1] };
  ({ id } = await orders().create(order));
  change = `${ORDERS}/${id}/change`;
});

async function expectStored(properties: object): Promise<void> {
  expect(await orders().read(id)).toMatchObject(properties);
}

/** Submits the form of a page that was opened earlier. */
function post(opened: Visit, fields: Texts, path = change): Promise<Visit> {
  return on.visitor.post(path, { ...hiddenIn(opened.text), do: 'save', ...fields });
}

/** Opens the form and submits it with these texts. */
async function save(fields: Texts): Promise<Visit> {
  return post(await on.visitor.get(change), fields);
}

/** Every text as a browser sends it, with each line break as CR LF. */
function allFields({ text }: Visit): Texts {
  const inputs = [...text.matchAll(/name="(field\.\w+)"[^>]* type="text" value="([^"]*)"/g)];
  const areas = [...text.matchAll(/<textarea[^>]* name="([\w.]+)"[^>]*>\n([^<]*)</g)];
  const sent = (value: string) =>
    plainText(value).replaceAll(/\r?\n/g, '\r\n').replaceAll('\0', '\uFFFD');
  return Object.fromEntries(
    [...inputs, ...areas].map(([, name = '', value = '']) => [name, sent(value)]),
  );
}

describe('A form', () => {
  it('sends only what differs, from its fields and its JSON together', async () => {
    const json = '{"x": [1, 2], "__proto__": {"a": 1}}';
    const fields = { 'field.assignee': 'Asha', 'field.customer': 'Neema', 'field.json': json };
    const visit = await save(fields);
    expect(visit.headers['location']).toBe(`${ORDERS}/${id}?done=saved`);
    await expectStored({ assignee: 'Asha', x: [1, 2], amount: 61_000 });
    expect(JSON.stringify(await orders().read(id))).toContain('"__proto__":{"a":1}');
    expect((await latestEvent())?.changed).toEqual(['assignee', 'x', '__proto__']);
  });

  it('sends no unchanged value, in particular none that HTML would alter', async () => {
    const unfit = { phone: 'a\rb', assignee: 'a\0b', method: 'a\ud800b' };
    const odd = { ...unfit, status: 'one\r\ntwo\nthree' };
    await orders().update(id, odd);
    const opened = await on.visitor.get(change);
    for (const name of Object.keys(unfit)) expect(opened.text).not.toContain(`"field.${name}"`);
    const before = await latestEvent();
    const unchanged = await post(opened, allFields(opened));
    expect(unchanged.headers['location']).toBe(`${ORDERS}/${id}?done=unchanged`);
    expect(await latestEvent()).toEqual(before);
    const again = await on.visitor.get(change);
    await post(again, { ...allFields(again), 'field.customer': 'Rehema' });
    await expectStored({ ...odd, customer: 'Rehema' });
  });

  it('shows a value of another type in its JSON, and sets emptied or removed properties to null', async () => {
    await orders().update(id, { phone: 713 as unknown as string });
    const opened = await on.visitor.get(change);
    expect(opened.text).not.toContain('name="field.phone"');
    await post(opened, { ...allFields(opened), 'field.json': '{"x":[1],"phone":"0714"}' });
    await expectStored({ phone: '0714', x: [1] });
    await save({ 'field.phone': '', 'field.json': '' });
    await expectStored({ phone: null, x: null });
  });

  it('creates a record from its input, and keeps the input if the record is refused', async () => {
    const refused = await on.visitor.submit(NEW, { 'field.customer': 'Juma' });
    expect([refused.status, refused.text]).toEqual([422, expect.stringMatching('is missing;')]);
    expect(valueIn(refused.text, 'field.customer')).toBe('Juma');
    const fields = { 'field.customer': 'Juma', 'field.service': 's', 'field.amount': '62,500' };
    const { headers } = await post(refused, { 'field.method': '', ...fields }, NEW);
    const [, made = ''] = /(ORD-\d+)\?done=created$/.exec(String(headers['location'])) ?? [];
    expect(await orders().read(made)).toMatchObject({ customer: 'Juma', amount: 62_500 });
    expect(await orders().read(made)).not.toHaveProperty('method');
  });

  it.each([
    ['amount', '-5', 'Amount is -5; it must be a number above 0.'],
    ['amount', '1.000', '“1.000”: the value could be 1 or 1000.'],
    ['json', '{"amount": 5}', 'amount has its own field'],
  ])(
    'refuses %s = "%s" next to the field, and keeps the other input',
    async (name, text, words) => {
      const visit = await save({ 'field.assignee': 'Asha', [`field.${name}`]: text });
      expect([visit.status, plainText(visit.text)]).toEqual([422, expect.stringContaining(words)]);
      expect(visit.text).toContain(`id="field.${name}-problem"`);
      expect(valueIn(visit.text, 'field.assignee')).toBe('Asha');
      await expectStored({ amount: 61_000, paid: 0, x: [1] });
    },
  );

  it('that is sent twice, as by a double click, is processed once; with other input or reopened, twice', async () => {
    const fields = { 'field.customer': 'Twice', 'field.service': 's', 'field.amount': '5' };
    const opened = await on.visitor.get(NEW);
    const before = await total();
    const both = await Promise.all([post(opened, fields, NEW), post(opened, fields, NEW)]);
    const [first, second] = both.map(({ headers }) => headers['location']);
    expect([first, second]).toEqual([expect.stringMatching(/done=created$/), first]);
    expect(await total()).toBe(before + 1);
    await post(opened, { ...fields, 'field.amount': '6' }, NEW);
    await post(await on.visitor.get(NEW), fields, NEW);
    expect(await total()).toBe(before + 3);
  });
});

it('A form whose session has expired changes nothing, and can be sent again after a sign-in', async () => {
  const stranger = on.console.visitor();
  const fields = { ...hiddenIn((await on.visitor.get(change)).text), 'field.customer': 'Asha' };
  const asked = await stranger.post(change, fields);
  expect([asked.status, asked.text]).toEqual([401, expect.stringContaining('nothing was saved')]);
  await expectStored({ customer: 'Neema' });
  await stranger.signIn(on.console.codes.at(-1) ?? '');
  expect((await stranger.post(change, fields)).headers['location']).toMatch(/done=saved$/);
});

describe('A record that someone changed since the form was opened', () => {
  it('is shown with both values, and overwritten only by a second save', async () => {
    const opened = await on.visitor.get(change);
    await orders().update(id, { amount: 60_000, assignee: 'Hamisi' });
    const conflict = await post(opened, { 'field.amount': '70000' });
    expect(conflict.status).toBe(409);
    const html = plainText(conflict.text);
    expect(html).toContain('Amount was 61000, and is now 60000.');
    expect(html).toContain('Assignee was not set, and is now "Hamisi".');
    expect(valueIn(conflict.text, 'field.amount')).toBe('70,000');
    await expectStored({ amount: 60_000 });
    await orders().update(id, { paid: 1 });
    const again = await post(conflict, allFields(conflict));
    expect(again.status).toBe(409);
    expect((await post(again, allFields(again))).status).toBe(303);
    await expectStored({ amount: 70_000, assignee: 'Hamisi', paid: 1 });
  });

  it('is not deleted until the form has shown the change, and not saved after it was deleted', async () => {
    const opened = await on.visitor.get(change);
    await orders().update(id, { amount: 99_000 });
    const refused = await post(opened, { do: 'delete' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('99,000')]);
    const deleted = await post(refused, { do: 'delete' });
    expect(deleted.headers['location']).toBe(`${ORDERS}?done=deleted`);
    expect((await on.visitor.get(`${ORDERS}/${id}`)).status).toBe(404);
    const { status, text } = await post(opened, { 'field.amount': '70000' });
    expect([status, text]).toEqual([409, expect.stringContaining('Someone deleted this record')]);
  });
});
