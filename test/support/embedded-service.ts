// The embedding page's service as a file of a reader's project, and the checks that it
// must pass in every framework.

import { expect } from 'vitest';
import { tokenOf } from './identity-stub.js';
import { pageCode } from './pages.js';

/** `service.js` as the page says to make it, with that identity provider. */
export function serviceFile(userinfoUrl: string): string {
  const [service] = pageCode('src/embedding.md', '## The handler').split('\nconst response');
  const end = pageCode('src/embedding.md', 'For the examples below');
  return `${service?.replace(/https:[^']+/, userinfoUrl)}\n${end}`;
}

/** Creates and reads a record, and asks for a missing one. */
export async function keepsRecords(origin: string): Promise<void> {
  const api = `${origin}/api/v1`;
  const headers = { Authorization: `Bearer ${tokenOf('neema')}` };
  const body = '{"name":"Zoë","phone":"1"}';
  const created = await fetch(`${api}/customers`, { method: 'POST', headers, body });
  expect(created.status).toBe(201);
  const { data } = (await created.json()) as { data: { id: string } };
  expect(data).toMatchObject({ name: 'Zoë', owner_sub: 'neema' });
  const read = await fetch(`${api}/customers/${data.id}`, { headers });
  expect(((await read.json()) as { data: unknown }).data).toEqual(data);
  expect((await fetch(`${api}/customers`, { method: 'PUT', headers })).status).toBe(405);
}

/** Sends requests that frameworks often answer themselves, or whose body they read before the service does. */
export async function answersByItself(origin: string): Promise<void> {
  const url = `${origin}/api/v1/customers`;
  const headers = { Authorization: `Bearer ${tokenOf('neema')}` };
  const send = (method: string, more: RequestInit = {}) =>
    fetch(url, { method, ...more, headers: { ...headers, ...more.headers } });
  expect((await send('HEAD')).status).toBe(405);
  expect((await send('OPTIONS')).status).toBe(204);
  expect((await fetch(`${origin}/api/v1`, { headers })).status).toBe(404);
  expect((await fetch(url)).status).toBe(401);
  const json = { 'Content-Type': 'application/json', 'X-Request-ID': 'mine' };
  const good = await send('POST', { body: '{"name":"A","phone":"1"}', headers: json });
  expect([good.status, good.headers.get('x-request-id')]).toEqual([201, 'mine']);
  const bad = await send('POST', { body: '{"name":', headers: json });
  expect([bad.status, await bad.json()]).toMatchObject([400, { error: { code: 'INVALID_JSON' } }]);
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
  expect((await send('POST', { body: '{"name":"A","phone":"1"}', headers: form })).status).toBe(
    201,
  );
  const large = await send('POST', { body: `"${'a'.repeat(2 ** 20)}"`, headers: json });
  expect(large.status).toBe(400);
}
