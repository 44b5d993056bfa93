// The embedding page's service as a file of a reader's project, and the check that it must pass in
// every framework.

import { expect } from 'vitest';
import { tokenOf } from './identity-stub.js';
import { pageCode } from './pages.js';

/** `service.js` as the page says to make it, with that identity provider. */
export function serviceFile(userinfoUrl: string): string {
  const [service] = pageCode('src/embedding.md', '## The handler').split('\nconst response');
  const end = pageCode('src/embedding.md', 'For the examples below');
  return `${service?.replace(/https:[^']+/, userinfoUrl)}\n${end}`;
}

/** Keeps a record, and answers requests that frameworks often answer themselves or whose body they read before. */
export async function servesTheApi(origin: string): Promise<void> {
  const headers = { Authorization: `Bearer ${tokenOf('neema')}` };
  const send = async (method: string, path: string, body?: string, more = {}) => {
    const init = { method, headers: { ...headers, ...more }, ...(body !== undefined && { body }) };
    const answer = await fetch(`${origin}/api/v1${path}`, init);
    const text = await answer.text();
    return { answer, status: answer.status, json: text === '' ? {} : JSON.parse(text) };
  };
  const json = { 'Content-Type': 'application/json', 'X-Request-ID': 'mine' };
  const created = await send('POST', '/customers', '{"name":"Zoë","phone":"1"}', json);
  expect([created.status, created.answer.headers.get('x-request-id')]).toEqual([201, 'mine']);
  expect(created.json.data).toMatchObject({ name: 'Zoë', owner_sub: 'neema' });
  const read = await send('GET', `/customers/${created.json.data.id}`);
  expect(read.json.data).toEqual(created.json.data);
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
  expect((await send('POST', '/customers', '{"name":"A","phone":"1"}', form)).status).toBe(201);
  const bad = await send('POST', '/customers', '{"name":', json);
  expect([bad.status, bad.json]).toMatchObject([400, { error: { code: 'INVALID_JSON' } }]);
  expect((await send('POST', '/customers', `"${'a'.repeat(2 ** 20)}"`, json)).status).toBe(400);
  const statuses = { PUT: 405, HEAD: 405, OPTIONS: 204 };
  for (const [method, status] of Object.entries(statuses)) {
    expect((await send(method, '/customers')).status).toBe(status);
  }
  expect((await send('GET', '')).status).toBe(404);
  expect((await send('GET', '/customers', undefined, { Authorization: '' })).status).toBe(401);
}
