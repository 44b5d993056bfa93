// The OpenAPI document: that it is whole, and that its examples are answers of
// the service. That every answer fits it is checked where answers are received:
// test/support/openapi-document.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OTHER_MESSAGES } from '../../src/clients/openapi/errors.js';
import { COLLECTIONS } from '../support/collection-table.js';
import { type Caller, describeContract } from '../support/contract.js';
import { openNodeService } from '../support/node-service.js';
import {
  DOCUMENT,
  expectDescribed,
  OPERATIONS,
  type OperationObject,
  pointerOf,
  type ResponseObject,
  resolved,
  violation,
} from '../support/openapi-document.js';
import { ROOT, textOf } from '../support/pages.js';
import { rawExchange, requestText } from '../support/raw-http.js';

const TENANT = '/admin/accounts/{owner_sub}';

/** The first of an operation's responses. */
function successOf(operation: OperationObject | undefined) {
  const [success] = Object.values(operation?.responses ?? {});
  return success && resolved<ResponseObject>(success).content?.['application/json'];
}

describe('The document', () => {
  it('is OpenAPI 3.1, and carries its version, and licence and contact as the package does', () => {
    const { license, author: contact } = JSON.parse(textOf('package.json'));
    const named = { name: license, identifier: `LicenseRef-${license}` };
    expect(DOCUMENT.openapi).toMatch(/^3\.1\.\d$/);
    expect(DOCUMENT.info).toMatchObject({ version: '0.1.0', license: named });
    expect(DOCUMENT.info['contact']).toBe(contact);
  });

  it('gives each operation a name of its own', () => {
    const names = OPERATIONS.map(({ object }) => object.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('requires a token on the data API, the key on the administration API, nothing for health', () => {
    for (const { path, object } of OPERATIONS) {
      const wanted = path.startsWith('/admin') ? ['adminKey'] : ['bearer'];
      const found = object.security.flatMap((requirement) => Object.keys(requirement));
      expect(found, path).toEqual(path === '/health' ? [] : wanted);
    }
  });

  it('describes refusals by code, each in one response', () => {
    const responses = DOCUMENT.components['responses'] as Record<string, ResponseObject>;
    for (const [name, { content = {} }] of Object.entries(responses)) {
      for (const { value } of Object.values(content['application/json']?.examples ?? {})) {
        const pointer = pointerOf('components', 'responses', name, 'content', 'application/json');
        expect(violation(value, `${pointer}/schema`, 'typed')).toBeUndefined();
      }
    }
  });

  it.each(OPERATIONS)(
    'has an example of the body and the answer of $name',
    ({ method, path, object }) => {
      const pointer = pointerOf('paths', path, method.toLowerCase());
      const schema = `${pointerOf('content', 'application/json')}/schema`;
      if (object.requestBody !== undefined) {
        const { example } = object.requestBody.content['application/json'] ?? {};
        expect(violation(example, `${pointer}/requestBody${schema}`, 'typed')).toBeUndefined();
      }
      const [status = ''] = Object.keys(object.responses);
      const { example } = successOf(object) ?? {};
      expect(
        violation(example, `${pointer}/responses/${status}${schema}`, 'typed'),
      ).toBeUndefined();
    },
  );
});

it('A host’s own refusals are as the response that stands on every operation', async () => {
  const anywhere = DOCUMENT.components['responses']?.['Anywhere'] as ResponseObject;
  for (const { object } of OPERATIONS) {
    expect(resolved(object.responses['default'] ?? {})).toBe(anywhere);
  }
  const service = await openNodeService();
  onTestFinished(() => service.close());
  const { origin } = await service.start();
  for (const [code, status, text] of [
    ['BAD_REQUEST', 400, 'this is no request\r\n\r\n'],
    ['HEADERS_TOO_LARGE', 431, requestText('GET', '/api/v1/health', [`X: ${'x'.repeat(100_000)}`])],
  ] as const) {
    const [answer] = await rawExchange(origin, text);
    expect([answer?.status, answer?.json.error?.code]).toEqual([status, code]);
    const pointer = pointerOf('components', 'responses', 'Anywhere', 'content', 'application/json');
    expect(violation(answer?.json, `${pointer}/schema`)).toBeUndefined();
    expect(anywhere.content?.['application/json']?.examples).toHaveProperty(code);
  }
});

it('Each message of an example that no request provokes is in the sources', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.startsWith('clients/'));
  const texts = sources.map((file) => readFileSync(join(ROOT, 'src', file), 'utf8'));
  for (const message of Object.values(OTHER_MESSAGES)) {
    expect(
      texts.some((text) => text.includes(`'${message}'`)),
      message,
    ).toBe(true);
  }
});

describeContract('The examples', (service) => {
  const dataOf = async (caller: Caller, path: string) => (await caller.get(path)).json.data;
  const exampleOf = (path: string) => {
    const operation = OPERATIONS.find(({ name }) => name === `GET ${path}`);
    return Object(successOf(operation?.object)?.example).data as unknown;
  };

  it.each([...COLLECTIONS, 'payments'])('of /%s are the answers of a new service', async (name) => {
    const data = await dataOf(service.account('local-preview'), `/${name}`);
    expect(data).toEqual(exampleOf(`/${name}`));
  });

  it('of the operator’s views are the answers of a new service, except for the times', async () => {
    const { operator } = service;
    for (const path of ['/admin/overview', '/admin/accounts']) {
      expect(await dataOf(operator, path)).toEqual(exampleOf(path));
    }
    expect(await dataOf(operator, '/admin/accounts/local-preview')).toEqual(exampleOf(TENANT));
    const untimed = (value: unknown) => JSON.stringify(value).replaceAll(/"\d{4}-[^"]+Z"/g, '""');
    const usage = untimed(await dataOf(operator, '/admin/usage'));
    expect(usage).toBe(untimed(exampleOf('/admin/usage')));
  });
});

describe('An answer that is not as described', () => {
  const meta = { request_id: 'r', timestamp: '2026-01-14T14:02:11.482Z' };
  const data = { id: 'CUS-0001', owner_sub: 'a', name: 'N', phone: '1' };
  const JSON_TYPE = 'application/json; charset=utf-8';
  const judged = (body: unknown, { status = 200, type = JSON_TYPE, method = 'GET' } = {}) => {
    const init = { status, headers: { 'Content-Type': type } };
    const response = new Response(JSON.stringify(body), init);
    return expectDescribed(method, '/api/v1/customers/CUS-0001', response);
  };

  const error = { code: 'NOT_FOUND', message: 'no' };

  it('is told from one that is', async () => {
    await judged({ data, meta });
    await judged({ error, meta }, { status: 404 });
  });

  it.each([
    ['a property is missing', { data: { ...data, owner_sub: undefined }, meta }, {}],
    ['a property has another type', { data: { ...data, phone: 1 }, meta }, {}],
    ['the envelope has more', { data, meta, links: [] }, {}],
    ['the meta has more', { data, meta: { ...meta, took: 1 } }, {}],
    ['the status is not described', { data, meta }, { status: 201 }],
    ['the code is of another status', { error, meta }, { status: 401 }],
    ['the content type differs', { data, meta }, { type: 'text/json' }],
    ['the method is not described', { data, meta }, { method: 'PUT' }],
  ])('is recognized when %s', async (_, body, how) => {
    await expect(judged(body, how)).rejects.toThrow('is not true of');
  });
});
