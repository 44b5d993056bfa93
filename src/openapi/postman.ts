// The ready-made requests as a Postman collection that can be run from top to bottom,
// again and again: each folder creates a record, finds, reads, changes and deletes it,
// and says so where an answer is not what it must be.

import { COLLECTION_NAMES } from '../domain/collection-name.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import { ADMIN_RECORDS, ADMIN_VIEWS } from './names.js';
import {
  type DescribedApi,
  queryText,
  type ReadyRequest,
  readyRequests,
  variables,
} from './requests.js';

/** Whose records the operator's requests work on: an account of their own. */
const OPERATORS_ACCOUNT = 'local-postman';
/** A list is asked for after the record was created, a deletion comes last. */
const ORDER = ['POST', 'GET', 'PATCH', 'DELETE'];
/** Without the key, the operator's folders are left out of a run. */
const SKIP_WITHOUT_KEY = ["if (!pm.variables.get('admin_key')) pm.execution.skipRequest();"];

/** Postman's format 2.1, which Bruno, Insomnia and Hoppscotch import, too. */
export function postmanCollection(api: DescribedApi): JsonObject {
  const requests = readyRequests(api);
  const known = [...variables(api), ['account', OPERATORS_ACCOUNT] as const];
  return {
    info: {
      name: api.info.title,
      version: api.info.version,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: known.map(([key, value]) => ({ key, value, type: 'string' })),
    item: inRunningOrder(api.tags).map(({ name, description }) => {
      const own = requests.filter((request) => folderOf(request) === name);
      const isAdmin = own.some(isOperators);
      return {
        name,
        description,
        ...(isAdmin && { event: [script('prerequest', SKIP_WITHOUT_KEY)] }),
        item: groups(own).flatMap((group) => group.map(postmanItem)),
      };
    }),
  };
}

/** The operator's views last: what an account's records leave behind is there then. */
function inRunningOrder(tags: DescribedApi['tags']): DescribedApi['tags'] {
  const views = tags.filter(({ name }) => name === ADMIN_VIEWS);
  return [...tags.filter((tag) => !views.includes(tag)), ...views];
}

/** The operator's page of an account is read while the account has a record. */
const ACCOUNT_PAGE = '/admin/accounts/{owner_sub}';
const ITS_FIRST_RECORDS = `${ACCOUNT_PAGE}/${COLLECTION_NAMES[0]}`;

function folderOf({ tag, template }: ReadyRequest): string {
  return template === ACCOUNT_PAGE ? ADMIN_RECORDS : tag;
}

/** The requests of each path and of the paths below it, in the order in which they can be sent. */
function groups(requests: readonly ReadyRequest[]): ReadyRequest[][] {
  const found = new Map<string, ReadyRequest[]>();
  for (const request of requests) {
    const key = request.template === ACCOUNT_PAGE ? ITS_FIRST_RECORDS : listPath(request);
    found.set(key, [...(found.get(key) ?? []), request]);
  }
  return [...found.values()].map((group) =>
    group.sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method)),
  );
}

function postmanItem(request: ReadyRequest): JsonObject {
  const { summary, name, method, template, query, headers, body } = request;
  const path = template
    .replace('{owner_sub}', '{{account}}')
    .replace('{id}', `{{${idVariable(request)}}}`);
  return {
    name: summary,
    description: name,
    event: [script('test', expectations(request))],
    request: {
      method,
      header: headers.map(({ key, value }) => ({ key, value })),
      url: {
        raw: `{{base_url}}${path}${queryText(query)}`,
        host: ['{{base_url}}'],
        path: path.slice(1).split('/'),
        query: query.map(({ key, value }) => ({ key, value })),
      },
      ...(body !== undefined && {
        body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } },
      }),
    },
  };
}

/** The checks of the answer, in Postman's own language. */
function expectations(request: ReadyRequest): string[] {
  const { method, template } = request;
  const isOne = template.endsWith('{id}');
  const isCreate = method === 'POST';
  const id = `pm.collectionVariables.get('${idVariable(request)}')`;
  const lines = [
    `pm.test('status', () => pm.response.to.have.status(${isCreate ? 201 : 200}));`,
    // `data` is a name of Postman's own.
    'const answer = pm.response.json();',
    "pm.test('request id', () => pm.expect(answer.meta.request_id).to.be.a('string'));",
  ];
  if (isCreate) {
    lines.push(`pm.collectionVariables.set('${idVariable(request)}', answer.data.id);`);
  } else if (isOne) {
    lines.push(`pm.test('the record', () => pm.expect(answer.data.id).to.equal(${id}));`);
  } else if (isRecordList(request)) {
    lines.push(
      `pm.test('has the new record', () => pm.expect(answer.data.map((row) => row.id)).to.include(${id}));`,
    );
  }
  if (request.body !== undefined) {
    lines.push(
      "pm.test('keeps what was sent', () => pm.expect(answer.data).to.deep.include(JSON.parse(pm.request.body.raw)));",
    );
  }
  if (method === 'DELETE') {
    lines.push("pm.test('deleted', () => pm.expect(answer.data.deleted).to.equal(true));");
  }
  return lines;
}

/** A list of records that a create of the same folder adds to. */
function isRecordList({ template, query }: ReadyRequest): boolean {
  const isRecords = /^\/(admin\/accounts\/\{owner_sub\}\/)?\w+$/.test(template);
  return isRecords && query.some(({ key }) => key === 'q');
}

/** `/orders/{id}` → `orders_id`; of the operator `account_orders_id`. */
function idVariable(request: ReadyRequest): string {
  const collection = listPath(request).split('/').at(-1);
  return `${isOperators(request) ? 'account_' : ''}${collection}_id`;
}

function listPath({ template }: ReadyRequest): string {
  return template.replace(/\/\{id\}$/, '');
}

function isOperators({ template }: ReadyRequest): boolean {
  return template.startsWith('/admin/');
}

function script(listen: 'test' | 'prerequest', exec: readonly string[]): JsonValue {
  return { listen, script: { type: 'text/javascript', exec: [...exec] } };
}
