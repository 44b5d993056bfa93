// Exports and erasures of an account, against a real service.

import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type OpenConsole, openConsole, type Visitor } from '../support/console-visitor.js';
import { dataService } from '../support/data-service.js';
import { eventually } from '../support/eventually.js';
import { onLoopback } from '../support/loopback.js';

const SALON = 'auth0|saluni';
const PATH = '/accounts/auth0%7Csaluni';

const on = dataService();
let console_: OpenConsole;
let visitor: Visitor;

beforeAll(async () => {
  const ledger = on.at('backups-erased.ndjson');
  await on.file('service-2026-03-01T21-30-00.000Z.db', '');
  const backups = { folder: on.folder, intervalHours: 24, keep: 7 };
  console_ = await openConsole(on.environment, { erasure: { ledger, backups } });
  visitor = await console_.signedIn();
  const { customers, orders } = on.client.recordsOf(SALON);
  for (let made = 0; made < 230; made++) await customers.create({ name: `N${made}`, phone: '1' });
  // As the import of a salon's workbook makes them.
  for (const [amount, paid, date, phone] of [
    [45_000, 20_000.5, '2026-12-31', '713445210'],
    [0.1 + 0.2, 0, '2026-12-31T14:30:00+03:00', '+255754000111'],
    [1_234_567.25, 1250, '2026-11-30', '0713'],
  ] as const) {
    const own = { Idadi: -1.5, Tayari: amount > 1 };
    await orders.create({ customer: 'N1', service: 's', amount, paid, date, phone, ...own });
  }
  await on.client.recordsOf('other').customers.create({ name: 'Stays', phone: '1' });
});
afterAll(() => console_?.close());

it('An export is a zip of CSV files, of which an import makes the same records', async () => {
  const { headers, bytes } = await visitor.get(`${PATH}/export`);
  expect(headers['content-disposition']).toBe('attachment; filename="auth0_saluni.zip"');
  const files = unzipSync(bytes);
  expect(Object.keys(files).sort()).toEqual(
    ['audit', 'customers', 'orders', 'payments'].map((name) => `${name}.csv`),
  );
  expect(strFromU8(files['payments.csv'] ?? new Uint8Array())).toContain('PAY-');
  for (const name of ['customers', 'orders'] as const) {
    const csv = await on.file(`${name}.csv`, files[`${name}.csv`] ?? '');
    const words = ['import', csv, '--account', 'back', '--into', name, '--in-order'];
    expect(await on.run(words)).toMatchObject({ code: 0 });
    expect(await on.contents('back', name)).toEqual(await on.contents(SALON, name));
  }
});

it('An export that can’t read every record begins no download', async () => {
  const pagination = { page: 1, page_size: 1, total: 2, total_pages: 2 };
  const meta = { request_id: 'r', timestamp: '', pagination };
  const failing = createServer((request, response) => {
    const isSecond = request.url?.includes('page=2') ?? false;
    response.writeHead(isSecond ? 401 : 200, { 'Content-Type': 'application/json' });
    const error = { code: 'UNAUTHORIZED', message: 'm' };
    response.end(JSON.stringify({ meta, ...(isSecond ? { error } : { data: [{ id: 'CUS-1' }] }) }));
  });
  const { origin, close } = await onLoopback(failing);
  onTestFinished(close);
  const broken = await openConsole({ SERVICE_URL: `${origin}/api/v1` });
  onTestFinished(() => broken.close());
  const { status, text } = await (await broken.signedIn()).get('/accounts/a/export');
  expect([status, text]).toEqual([502, expect.stringContaining('refused the admin key')]);
  expect((await visitor.get('/accounts/nobody/export')).status).toBe(404);
});

it('An export whose client leaves in the middle leaves no file and nothing open', async () => {
  const home = on.at('temporary');
  await mkdir(home);
  vi.stubEnv('TMPDIR', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { customers } = on.client.recordsOf('large');
  // More than a connection buffers, also as a zip.
  const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(49_152))).toString('hex');
  for (let made = 0; made < 12; made++) {
    const note = Array.from({ length: 10 }, noise).join('');
    await customers.create({ name: 'N', phone: '1', note });
  }
  const headers = { Cookie: visitor.cookie };
  const request = get(`${console_.origin}/accounts/large/export`, { headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const reading = [expect.stringMatching(/customers\.csv$/)];
  await eventually(async () => expect(await openIn(home)).toEqual(reading));
  response.destroy();
  await eventually(async () => expect([await readdir(home), await openIn(home)]).toEqual([[], []]));
  expect((await visitor.get('/accounts')).status).toBe(200);
});

it('An erasure needs the subject, deletes every record of the account alone, and writes a line to the ledger', async () => {
  for (const subject of ['', 'auth0|salun', `${SALON} `]) {
    const visit = await visitor.submit(`${PATH}/erase`, { subject });
    expect([visit.status, visit.text]).toEqual([422, expect.stringMatching('Nothing was erased')]);
  }
  const visit = await visitor.submit(`${PATH}/erase`, { subject: SALON });
  expect(visit.headers['location']).toBe(`${PATH}/erase`);
  const page = await eventually(async () => {
    const { text } = await visitor.get(`${PATH}/erase`);
    expect(text).toContain('The account is erased');
    return text;
  });
  expect(page).toContain('233 of 233 records deleted');
  // Times as on every other page: half past midnight in Dar es Salaam.
  expect(page).toContain('7 newer ones have replaced them: about');
  expect(page).not.toMatch(/\d{4}-\d\d-\d\dT\d\d/);
  await expect(on.client.accounts.read(SALON)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await on.client.accounts.read('other')).record_count).toBe(1);
  const line = await readFile(on.at('backups-erased.ndjson'), 'utf8');
  expect([line, line.includes('saluni')]).toEqual([expect.stringContaining('"records":{'), false]);
});

/** The files of a folder that this process has open. */
async function openIn(folder: string): Promise<string[]> {
  const fds = await readdir('/proc/self/fd');
  const files = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return files.filter((file) => file.startsWith(folder));
}
