// The ready-made requests, sent as an editor's REST client would send them.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ADMIN_KEY, type ContractService, onEveryHost } from '../support/contract.js';
import { tokenOf } from '../support/identity-stub.js';
import { DOCUMENT, OPERATIONS } from '../support/openapi-document.js';

interface ReadyRequest {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const built = (name: string) =>
  readFileSync(new URL(`../../dist/${name}`, import.meta.url), 'utf8');

const [variables = '', ...requestTexts] = built('requests.http').split(/^### .*\n/m);
const REQUESTS = requestTexts.map(parsed);

function parsed(text: string): ReadyRequest {
  const [head = '', ...body] = text.trimEnd().split('\n\n');
  const [name = '', target = '', ...headers] = head.split('\n');
  const [method = '', url = ''] = target.split(' ');
  return {
    name: name.replace('# @name ', ''),
    method,
    url,
    headers: Object.fromEntries(headers.map((line) => line.split(': ', 2))),
    body: body.length === 0 ? undefined : body.join('\n\n'),
  };
}

function send(service: ContractService, { method, url, headers, body }: ReadyRequest) {
  const filled = (text: string) =>
    text
      .replace('{{base_url}}', '/api/v1')
      .replace('{{token}}', tokenOf('local-preview'))
      .replace('{{admin_key}}', ADMIN_KEY);
  const filledHeaders = Object.entries(headers).map(([name, value]) => [name, filled(value)]);
  return service.fetch(filled(url), {
    method,
    headers: Object.fromEntries(filledHeaders),
    ...(body !== undefined && { body }),
  });
}

describe('The .http file', () => {
  it('has a request for each operation, under its name', () => {
    expect(REQUESTS.map(({ name, method }) => [name, method])).toEqual(
      OPERATIONS.map(({ object, method }) => [object.operationId, method]),
    );
  });

  it('goes to the preview as the sample shop, and does not contain the admin key', () => {
    expect(variables.trim().split('\n')).toEqual([
      '@base_url = http://127.0.0.1:8080/api/v1',
      '@token = local-preview',
      '@admin_key =',
    ]);
  });
});

// The operator's requests name the same records: a service for each of the two.
for (const [title, isMeant] of [
  ['The ready-made requests of an account', ({ name }: ReadyRequest) => !name.startsWith('admin')],
  ['The ready-made requests of the operator', ({ name }: ReadyRequest) => name.startsWith('admin')],
] as const) {
  onEveryHost(
    title,
    (service) => {
      it.each(REQUESTS.filter(isMeant))('$name succeeds on the sample rows', async (request) => {
        const response = await send(service, request);
        expect(response.status).toBe(/create/i.test(request.name) ? 201 : 200);
        const { data } = (await response.json()) as { data: unknown };
        if (/list/i.test(request.name) && request.name !== 'adminListAuditEvents') {
          expect(data).not.toEqual([]);
        }
      });
    },
    { isOwn: true },
  );
}

describe('The Postman collection', () => {
  const collection = JSON.parse(built('postman.json'));

  it('has the same requests, in a folder for each tag, with ids that a run fills in', () => {
    const items = collection.item.flatMap(({ item }: { item: object[] }) => item);
    const fromPostman = items.map(({ description, request }: PostmanItem) => ({
      name: description,
      method: request.method,
      url: filledIds(request.url.raw),
      headers: Object.fromEntries(request.header.map(({ key, value }) => [key, value])),
      body: request.body?.raw,
    }));
    const byName = (a: ReadyRequest, b: ReadyRequest) => a.name.localeCompare(b.name);
    const wanted = REQUESTS.map((one) => ({ ...one, url: filledIds(one.url) }));
    expect(fromPostman.sort(byName)).toEqual(wanted.sort(byName));
  });

  it('deletes in each folder the records that it created there, and no other', () => {
    for (const { name, item } of collection.item) {
      const methods = item.map(({ request }: PostmanItem) => request.method);
      const creates = methods.filter((method: string) => method === 'POST').length;
      const deletes = methods.filter((method: string) => method === 'DELETE').length;
      expect([name, creates]).toEqual([name, deletes]);
      if (creates > 0) expect([methods[0], methods.at(-1)]).toEqual(['POST', 'DELETE']);
    }
  });

  it('spells a URL in its parts as in its whole form', () => {
    for (const folder of collection.item) {
      for (const { request } of folder.item as PostmanItem[]) {
        const { raw, host, path, query } = request.url;
        const search = query.map(({ key, value }) => `${key}=${value}`).join('&');
        expect([...host, ...path].join('/') + (search && `?${search}`)).toBe(raw);
      }
    }
  });

  it('carries the version of the document', () => {
    expect(collection.info.version).toBe(DOCUMENT.info.version);
  });
});

/** The path without what differs: an example's id, or the variable of one. */
function filledIds(url: string): string {
  return url.replace(/\{\{\w+_id\}\}|[A-Z]+-\d+/, 'ID').replace('{{account}}', 'local-preview');
}

interface PostmanItem {
  readonly description: string;
  readonly request: {
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly url: {
      readonly raw: string;
      readonly host: readonly string[];
      readonly path: readonly string[];
      readonly query: readonly { readonly key: string; readonly value: string }[];
    };
    readonly body?: { readonly raw: string };
  };
}
