// The OpenAPI document: that it is complete. That every response fits it is checked where responses
// are received: test/support/openapi-document.

import { describe, expect, it } from 'vitest';
import {
  codesOf,
  DOCUMENT,
  expectDescribed,
  OPERATIONS,
  pointerOf,
  type ResponseObject,
  resolved,
  violation,
} from '../support/openapi-document.js';
import { textOf } from '../support/pages.js';

describe('The document', () => {
  it('is OpenAPI 3.1, with its own version, and the package’s licence and contact', () => {
    const { license, author: contact } = JSON.parse(textOf('package.json'));
    const named = { name: license, identifier: `LicenseRef-${license}` };
    expect(DOCUMENT.openapi).toMatch(/^3\.1\.\d$/);
    expect(DOCUMENT.info).toMatchObject({ version: '0.1.0', license: named });
    expect(DOCUMENT.info['contact']).toBe(contact);
  });

  it('gives each operation a unique name', () => {
    const names = OPERATIONS.map(({ object }) => object.operationId);
    expect(new Set(names.filter(Boolean)).size).toBe(names.length);
  });

  it('describes each parameter of a path', () => {
    for (const [path, item] of Object.entries(DOCUMENT.paths)) {
      const refs = (item['parameters'] ?? []) as readonly { readonly $ref: string }[];
      const names = refs.map((one) => resolved<{ name: string }>(one).name);
      expect(names, path).toEqual(Array.from(path.matchAll(/{(\w+)}/g), ([, name]) => name));
    }
  });

  it('requires a token on the data API, the key on the administration API, nothing for health', () => {
    for (const { path, object } of OPERATIONS) {
      const wanted = path.startsWith('/admin') ? ['adminKey'] : ['bearer'];
      const found = object.security.flatMap((requirement) => Object.keys(requirement));
      expect(found, path).toEqual(path === '/health' ? [] : wanted);
    }
  });

  it.each(OPERATIONS)(
    'has an example of the body and the response of $name',
    ({ method, path, object }) => {
      const [[status, answer] = []] = Object.entries(object.responses);
      const at = pointerOf('paths', path, method.toLowerCase());
      for (const [place, described] of [
        ['requestBody', object.requestBody],
        [`responses/${status}`, answer as ResponseObject],
      ] as const) {
        const media = described?.content?.['application/json'];
        const pointer = `${at}/${place}${pointerOf('content', 'application/json')}/schema`;
        if (described) expect(violation(media?.example, pointer, 'typed')).toBeUndefined();
      }
    },
  );
});

it('A host’s own errors are listed for every operation', () => {
  const anywhere = DOCUMENT.components['responses']?.['Anywhere'] as ResponseObject;
  for (const { object } of OPERATIONS) {
    expect(resolved(object.responses['default'] ?? {})).toBe(anywhere);
  }
  expect(codesOf(anywhere)).toEqual(
    expect.arrayContaining(['BAD_REQUEST', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE']),
  );
  for (const response of Object.values(DOCUMENT.components['responses'] ?? {})) {
    const { content, ...rest } = response as ResponseObject;
    const example = content?.['application/json']?.example;
    expect(violation(example, '/components/schemas/ErrorEnvelope')).toBeUndefined();
    expect(codesOf(rest)).toContain((example as { error: { code: string } }).error.code);
  }
});

it('The check of responses accepts described ones and refuses others', async () => {
  const meta = { request_id: 'r', timestamp: '2026-01-14T14:02:11.482Z' };
  const data = { id: 'CUS-0001', owner_sub: 'a', name: 'N', phone: '1' };
  const error = { code: 'NOT_FOUND', message: 'no' };
  const checked = (body: unknown, status = 200, type = 'application/json; charset=utf-8') => {
    const init = { status, headers: { 'Content-Type': type } };
    const response = new Response(JSON.stringify(body), init);
    return expectDescribed('GET', '/api/v1/customers/CUS-0001', response);
  };
  await checked({ data, meta });
  await checked({ error, meta }, 404);
  for (const untrue of [
    checked({ data: { ...data, owner_sub: undefined }, meta }),
    checked({ data, meta, links: [] }),
    checked({ data, meta }, 201),
    checked({ error, meta }, 401),
    checked({ data, meta }, 200, 'text/json'),
  ]) {
    await expect(untrue).rejects.toThrow('is not true of');
  }
});
