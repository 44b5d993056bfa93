// The form of a record: what it understands and sends, that it counts once, and what happens if
// somebody else changed the record or the session has ended.

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  consoleOfFile,
  hiddenIn,
  plainText,
  type Visit,
  valueIn,
} from '../support/console-visitor.js';

const ACCOUNT = 'auth0|saluni';
const ORDERS = '/accounts/auth0%7Csaluni/orders';

const on = consoleOfFile();
let id: string;
let change: string;

beforeAll(async () => {});
beforeEach(async () => {
  const order = { customer: 'Neema', service: 'Box braids', amount: 61_000, phone: '0713', x: [1] };
  ({ id } = await orders().create(order));
  change = `${ORDERS}/${id}/change`;
});

describe('A form', () => {
  it('sends what differs, from its fields and its JSON at once, and nothing else', async () => {
    const json = '{"x": [1, 2], "__proto__": {"a": 1}}';
    const visit = await save({
      'field.assignee': 'Asha',
      'field.customer': 'Neema',
      'field.json': json,
    });
    expect(visit.headers['location']).toBe(`${ORDERS}/${id}?done=saved`);
    expect(await stored()).toMatchObject({ assignee: 'Asha', x: [1, 2], amount: 61_000 });
    expect(JSON.stringify(await stored())).toContain('"__proto__":{"a":1}');
    expect((await latestEvent())?.changed).toEqual(['assignee', 'x', '__proto__']);
  });

  it('sends nothing that was not changed, above all no value that HTML would change on its way', async () => {
    const odd = {
      phone: 'a\rb',
      assignee: 'a\0b',
      method: 'a\ud800b',
      status: 'one\r\ntwo\nthree',
    };
    await orders().update(id, odd);
    const opened = await on.visitor.get(change);
    for (const name of ['phone', 'assignee', 'method']) {
      expect(opened.text).not.toContain(`name="field.${name}"`);
    }
    const before = await latestEvent();
    const unchanged = await post(opened, allFields(opened));
    expect(unchanged.headers['location']).toBe(`${ORDERS}/${id}?done=unchanged`);
    expect(await latestEvent()).toEqual(before);
    const again = await on.visitor.get(change);
    const visit = await post(again, { ...allFields(again), 'field.customer': 'Rehema' });
    expect(visit.status).toBe(303);
    expect(await stored()).toMatchObject({ ...odd, customer: 'Rehema' });
  });

  it('shows a value of another type in the JSON, where it can be changed', async () => {
    await orders().update(id, { phone: 713 as unknown as string });
    const opened = await on.visitor.get(change);
    expect(opened.text).not.toContain('name="field.phone"');
    const json = '{"x":[1],"phone":"0714"}';
    expect((await post(opened, { ...allFields(opened), 'field.json': json })).status).toBe(303);
    expect(await stored()).toMatchObject({ phone: '0714', x: [1] });
  });

  it('sets null where a field is emptied or a property is taken out of the JSON', async () => {
    expect((await save({ 'field.phone': '', 'field.json': '' })).status).toBe(303);
    expect(await stored()).toMatchObject({ phone: null, x: null });
  });

  it('creates a record of what is filled in, and keeps the input of one that is refused', async () => {
    const refused = await on.visitor.submit(`${ORDERS}/new`, { 'field.customer': 'Juma' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Service is required.');
    expect(valueIn(refused.text, 'field.customer')).toBe('Juma');
    const fields = { 'field.customer': 'Juma', 'field.service': 's', 'field.amount': '62,500' };
    const made = await post(refused, { 'field.method': '', ...fields }, `${ORDERS}/new`);
    const [, created = ''] =
      /(ORD-\d+)\?done=created$/.exec(String(made.headers['location'])) ?? [];
    expect(await orders().read(created)).toMatchObject({ customer: 'Juma', amount: 62_500 });
    expect(await orders().read(created)).not.toHaveProperty('method');
  });

  it.each([
    ['61,000', 61_000],
    ['62,500', 62_500],
    ['1,234,567', 1_234_567],
    ['45.000,50', 45_000.5],
    ['12,5', 12.5],
  ])('reads the amount %s, as the pages show one', async (text, amount) => {
    await save({ 'field.amount': text });
    expect(await stored()).toMatchObject({ amount });
    const shown = new Intl.NumberFormat('en').format(amount);
    expect((await on.visitor.get(`${ORDERS}/${id}`)).text).toContain(`${shown} TZS`);
  });

  it.each([
    ['amount', '-5', 'amount is -5; it must be a number above 0'],
    ['amount', 'many', '“many” is not a number; write digits such as 45000'],
    ['amount', '1.000', '“1.000” could be 1 or 1000; write 1 or 1000'],
    ['amount', '12345678901234567890', 'has more digits than a number keeps'],
    ['amount', '', 'Amount is required.'],
    ['paid', 'half', '“half” is not a number'],
    ['date', '31/12/2026', '“31/12/2026” is not a date; write 2026-12-31'],
    ['date', '2026-02-30', 'is not a date'],
    ['json', '{', 'not JSON'],
    ['json', '[]', 'the text is an array; send one JSON object'],
    ['json', '{"amount": 5}', 'amount has a field of its own'],
  ])(
    'refuses %s = "%s" where it stands, and keeps the other input',
    async (name, text, sentence) => {
      const visit = await save({ 'field.assignee': 'Asha', [`field.${name}`]: text });
      expect(visit.status).toBe(422);
      const html = plainText(visit.text);
      expect(html).toContain(sentence);
      expect(html).toContain(`id="field.${name}-problem"`);
      expect(valueIn(visit.text, 'field.assignee')).toBe('Asha');
      expect(await stored()).toMatchObject({ amount: 61_000, paid: 0, x: [1] });
    },
  );
});

describe('A form that is sent twice', () => {
  const fields = { 'field.customer': 'Twice', 'field.service': 's', 'field.amount': '5' };
  const total = async () => (await orders().list({ page_size: 1 })).pagination.total;

  it.each([0, 15])('counts once: %i ms apart, as by a double click', async (pauseMs) => {
    const opened = await on.visitor.get(`${ORDERS}/new`);
    const before = await total();
    const first = post(opened, fields, `${ORDERS}/new`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const second = post(opened, fields, `${ORDERS}/new`);
    const answers = await Promise.all([first, second]);
    const [one, other] = answers.map(({ headers }) => headers['location']);
    expect(one).toMatch(/done=created$/);
    expect(other).toBe(one);
    expect(await total()).toBe(before + 1);
  });

  it('counts again with other input, or where it was opened again', async () => {
    const opened = await on.visitor.get(`${ORDERS}/new`);
    const before = await total();
    await post(opened, fields, `${ORDERS}/new`);
    await post(opened, { ...fields, 'field.amount': '6' }, `${ORDERS}/new`);
    await post(await on.visitor.get(`${ORDERS}/new`), fields, `${ORDERS}/new`);
    expect(await total()).toBe(before + 3);
  });
});

describe('A form whose session has ended', () => {
  it('is shown again after the sign-in as it was typed, and then saved', async () => {
    const opened = await on.visitor.get(change);
    const stranger = on.console.visitor();
    const typed = {
      'field.customer': 'Typed “for” an hour',
      'field.json': '{\r\n "x": [1, 2]\r\n}',
    };
    const asked = await stranger.post(change, { ...hiddenIn(opened.text), ...typed, do: 'save' });
    expect(asked.status).toBe(401);
    expect(asked.text).toContain('The form that you sent is kept');
    const [, action = ''] =
      /<form method="post" action="([^"]+)" class="card sign-in"/.exec(asked.text) ?? [];
    const secret = on.console.codes.at(-1) ?? '';
    const fields = { ...hiddenIn(asked.text), secret };
    const signedIn = await stranger.post(plainText(action), fields);
    // The browser sends the same form there.
    expect([signedIn.status, signedIn.headers['location']]).toEqual([307, change]);
    const shown = await stranger.post(change, fields);
    expect(shown.text).toContain('nothing was saved yet');
    expect(valueIn(shown.text, 'field.customer')).toBe(typed['field.customer']);
    expect(plainText(shown.text)).toContain('"x": [1, 2]');
    expect(await stored()).toMatchObject({ customer: 'Neema', x: [1] });
    const saved = await stranger.post(change, { ...hiddenIn(shown.text), ...typed, do: 'save' });
    expect(saved.headers['location']).toBe(`${ORDERS}/${id}?done=saved`);
    expect(await stored()).toMatchObject({ customer: typed['field.customer'], x: [1, 2] });
  });

  it('is no way around the token of a session', async () => {
    const erase = '/accounts/auth0%7Csaluni/erase';
    const sent = String(new URLSearchParams({ subject: ACCOUNT }));
    expect((await on.visitor.post(erase, { sent })).status).toBe(403);
    const unsaved = String(new URLSearchParams({ base: '{}', 'field.customer': 'A' }));
    expect((await on.visitor.post(`${ORDERS}/new`, { sent: unsaved })).text).toContain('not');
    expect(await stored()).toMatchObject({ customer: 'Neema' });
  });
});

describe('A record that somebody changed since the form was opened', () => {
  it('is shown beside the input, and overwritten only by a second save', async () => {
    const opened = await on.visitor.get(change);
    await orders().update(id, { amount: 60_000, assignee: 'Hamisi' });
    const conflict = await post(opened, { 'field.amount': '70000' });
    expect(conflict.status).toBe(409);
    const html = plainText(conflict.text);
    for (const text of ['61000', '60000', '70000', 'Hamisi']) expect(html).toContain(text);
    expect(await stored()).toMatchObject({ amount: 60_000 });
    await orders().update(id, { paid: 1 });
    expect((await post(conflict, allFields(conflict))).status).toBe(409);
    const again = await post(conflict, allFields(conflict));
    expect((await post(again, allFields(again))).status).toBe(303);
    expect(await stored()).toMatchObject({ amount: 70_000, assignee: 'Hamisi', paid: 1 });
  });

  it('is not deleted', async () => {
    const opened = await on.visitor.get(change);
    await orders().update(id, { amount: 99_000 });
    const refused = await post(opened, { do: 'delete' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('99,000')]);
    const deleted = await post(refused, { do: 'delete' });
    expect(deleted.headers['location']).toBe(`${ORDERS}?done=deleted`);
    expect((await on.visitor.get(`${ORDERS}/${id}`)).status).toBe(404);
  });

  it('and deleted is offered as a new one with the input', async () => {
    const opened = await on.visitor.get(change);
    await orders().delete(id);
    const gone = await post(opened, { 'field.amount': '70000' });
    expect(gone.status).toBe(409);
    expect(gone.text).toContain('Somebody deleted this record');
    expect(gone.text).toContain(`action="${ORDERS}/new"`);
    expect(valueIn(gone.text, 'field.amount')).toBe('70,000');
    expect(valueIn(gone.text, 'field.customer')).toBe('Neema');
  });
});

function orders() {
  return on.service.client.recordsOf(ACCOUNT).orders;
}

async function stored(): Promise<Record<string, unknown>> {
  return (await orders().read(id)) as Record<string, unknown>;
}

async function latestEvent() {
  return (await on.service.client.audit.list({ page_size: 1 })).items[0];
}

/** Opens the form and sends it with these texts. */
async function save(fields: Readonly<Record<string, string>>): Promise<Visit> {
  return post(await on.visitor.get(change), fields);
}

/** Sends the form of a page that was opened before. */
function post(opened: Visit, fields: Readonly<Record<string, string>>, path = change) {
  return on.visitor.post(path, { ...hiddenIn(opened.text), do: 'save', ...fields });
}

/** Every text as a browser sends it, which writes each line end as CR LF. */
function allFields({ text }: Visit): Record<string, string> {
  const inputs = [...text.matchAll(/name="(field\.\w+)"[^>]* type="text" value="([^"]*)"/g)];
  const areas = [...text.matchAll(/<textarea[^>]* name="([\w.]+)"[^>]*>\n([^<]*)</g)];
  return Object.fromEntries(
    [...inputs, ...areas].map(([, name = '', value = '']) => [
      name,
      plainText(value).replaceAll(/\r?\n/g, '\r\n').replaceAll('\0', '\uFFFD'),
    ]),
  );
}
