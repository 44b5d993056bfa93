// The OpenAPI document: that it is whole, and that its examples are answers of
// the service. That every answer fits it is checked where answers are received:
// test/support/described-answer.

import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../support/collection-table.js';
import { type Caller, onEveryHost } from '../support/contract.js';
import { expectDescribed } from '../support/described-answer.js';
import {
  DOCUMENT,
  OPERATIONS,
  type OperationObject,
  pointerOf,
  type ResponseObject,
  resolved,
  typedViolation,
} from '../support/openapi-document.js';
import { textOf } from '../support/pages.js';

const TENANT = '/admin/accounts/{owner_sub}';

/** The first of an operation's responses. */
function successOf(operation: OperationObject | undefined) {
  const [success] = Object.values(operation?.responses ?? {});
  return success && resolved<ResponseObject>(success).content?.['application/json'];
}

describe('The document', () => {
  it('is OpenAPI 3.1 and carries version 0.1.0', () => {
    expect(DOCUMENT.openapi).toMatch(/^3\.1\.\d$/);
    expect(DOCUMENT.info.version).toBe('0.1.0');
  });

  it('names licence and contact as the package does', () => {
    const { license, author } = JSON.parse(textOf('package.json'));
    expect(DOCUMENT.info['license']).toEqual({
      name: license,
      identifier: `LicenseRef-${license}`,
    });
    expect(DOCUMENT.info['contact']).toBe(author);
  });

  it('gives each operation a name of its own', () => {
    const names = OPERATIONS.map(({ object }) => object.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('requires a token on the data API, the key on the administration API, nothing for health', () => {
    for (const { path, object } of OPERATIONS) {
      const wanted =
        path === '/health' ? [] : path.startsWith('/admin') ? ['adminKey'] : ['bearer'];
      expect(object.security.flatMap((requirement) => Object.keys(requirement))).toEqual(wanted);
    }
  });

  it('describes refusals by code, each in one response', () => {
    const responses = DOCUMENT.components['responses'] as Record<string, ResponseObject>;
    for (const [name, { content = {} }] of Object.entries(responses)) {
      for (const { value } of Object.values(content['application/json']?.examples ?? {})) {
        const pointer = pointerOf('components', 'responses', name, 'content', 'application/json');
        expect(typedViolation(value, `${pointer}/schema`)).toBeUndefined();
      }
    }
  });

  it.each(OPERATIONS)(
    'has an example of the body and the answer of $name',
    ({ method, path, object }) => {
      const pointer = pointerOf('paths', path, method.toLowerCase());
      const type = pointerOf('content', 'application/json');
      if (object.requestBody !== undefined) {
        const { example } = object.requestBody.content['application/json'] ?? {};
        expect(typedViolation(example, `${pointer}/requestBody${type}/schema`)).toBeUndefined();
      }
      const [status = ''] = Object.keys(object.responses);
      const { content } = resolved<ResponseObject>(object.responses[status] ?? { description: '' });
      const { example } = content?.['application/json'] ?? {};
      expect(
        typedViolation(example, `${pointer}/responses/${status}${type}/schema`),
      ).toBeUndefined();
    },
  );
});

onEveryHost('The examples', (service) => {
  const dataOf = async (caller: Caller, path: string) => (await caller.get(path)).json.data;
  const exampleOf = (path: string) => {
    const operation = OPERATIONS.find(({ name }) => name === `GET ${path}`);
    const example = successOf(operation?.object)?.example as { data: unknown } | undefined;
    return example?.data;
  };

  it.each([...COLLECTIONS, 'payments'])('of /%s are the answers of a new service', async (name) => {
    expect(await dataOf(service.account('local-preview'), `/${name}`)).toEqual(
      exampleOf(`/${name}`),
    );
  });

  it('of the operator’s views are the answers of a new service, except for the times', async () => {
    const { operator } = service;
    for (const path of ['/admin/overview', '/admin/accounts']) {
      expect(await dataOf(operator, path)).toEqual(exampleOf(path));
    }
    expect(await dataOf(operator, '/admin/accounts/local-preview')).toEqual(exampleOf(TENANT));
    const untimed = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll(/"\d{4}-[^"]+Z"/g, '""'));
    expect(untimed(await dataOf(operator, '/admin/usage'))).toEqual(
      untimed(exampleOf('/admin/usage')),
    );
  });
});

describe('An answer that is not as described', () => {
  const meta = { request_id: 'r', timestamp: '2026-01-14T14:02:11.482Z' };
  const data = { id: 'CUS-0001', owner_sub: 'a', name: 'N', phone: '1' };
  const HEADERS = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-ID': 'r',
    'Access-Control-Expose-Headers': 'X-Request-ID',
  };
  const judged = (body: unknown, { status = 200, headers = {}, method = 'GET' } = {}) =>
    expectDescribed(
      method,
      '/api/v1/customers/CUS-0001',
      new Response(JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } }),
    );

  it('is recognized', async () => {
    await judged({ data, meta });
    const error = { code: 'NOT_FOUND', message: 'no' };
    await judged({ error, meta }, { status: 404 });
  });

  it.each([
    ['a property is missing', { data: { ...data, owner_sub: undefined }, meta }, {}],
    ['a property has another type', { data: { ...data, phone: 1 }, meta }, {}],
    ['the envelope has more', { data, meta, links: [] }, {}],
    ['the meta has more', { data, meta: { ...meta, took: 1 } }, {}],
    ['the status is not described', { data, meta }, { status: 201 }],
    [
      'the code is of another status',
      { error: { code: 'NOT_FOUND', message: '' }, meta },
      { status: 401 },
    ],
    ['a header is missing', { data, meta }, { headers: { 'X-Request-ID': '' } }],
    ['a header differs', { data, meta }, { headers: { 'Cache-Control': 'max-age=60' } }],
    ['the content type differs', { data, meta }, { headers: { 'Content-Type': 'text/json' } }],
    ['the method is not described', { data, meta }, { method: 'PUT' }],
  ])('is recognized when %s', async (_, body, how) => {
    await expect(judged(body, how)).rejects.toThrow('is not true of');
  });
});
