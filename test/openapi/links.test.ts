// What tools that chain requests go by: links from an answer to what can follow,
// and examples that speak of one record from the request to its deletion.

import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../support/collection-table.js';
import {
  type DescribedOperation,
  DOCUMENT,
  OPERATIONS,
  type ResponseObject,
  resolved,
} from '../support/openapi-document.js';

interface Parameter {
  readonly name: string;
  readonly example?: string;
}

const byId = (id: string) => OPERATIONS.find(({ object }) => object.operationId === id);

function successOf({ object }: DescribedOperation): ResponseObject {
  const [response] = Object.values(object.responses);
  return resolved<ResponseObject>(response ?? { description: '' });
}

function dataOf(operation: DescribedOperation): Record<string, unknown> {
  const { example } = successOf(operation).content?.['application/json'] ?? {};
  return (example as { data: Record<string, unknown> }).data;
}

const WRITES = OPERATIONS.filter(({ method }) => method === 'POST' || method === 'PATCH');
const ITEMS = OPERATIONS.filter(({ path }) => path.endsWith('/{id}'));

describe('Links', () => {
  it.each(WRITES)('lead from $name to the operations that can follow', (operation) => {
    const { method, path } = operation;
    const links = Object.values(successOf(operation).links ?? {});
    const item = path.endsWith('/{id}') ? path : `${path}/{id}`;
    const followers = links.map(({ operationId }) => byId(operationId)?.name);
    const all = [`GET ${item}`, `PATCH ${item}`, `DELETE ${item}`];
    expect(followers).toEqual(method === 'POST' ? all : [all[0], all[2]]);
    for (const { parameters } of links) {
      expect(parameters['id']).toBe('$response.body#/data/id');
      const account = path.startsWith('/admin') ? '$request.path.owner_sub' : undefined;
      expect(parameters['owner_sub']).toBe(account);
    }
  });

  it('are ten for each collection', () => {
    const links = OPERATIONS.flatMap((operation) => Object.keys(successOf(operation).links ?? {}));
    expect(links.length).toBe(10 * COLLECTIONS.length);
  });
});

describe('The examples', () => {
  it.each(ITEMS)('of $name speak of the record that its id names', (operation) => {
    const parameters = parametersOf(operation.path);
    const id = parameters.find(({ name }) => name === 'id')?.example;
    expect(dataOf(operation)['id']).toBe(id);
  });

  it.each(WRITES)('of $name answer with the values of the request', (operation) => {
    const { example } = operation.object.requestBody?.content['application/json'] ?? {};
    expect(dataOf(operation)).toMatchObject(example as object);
    const item = operation.path.endsWith('/{id}') ? operation.path : `${operation.path}/{id}`;
    const read = OPERATIONS.find(({ name }) => name === `GET ${item}`);
    expect(dataOf(operation)['id']).toBe(read && dataOf(read)['id']);
  });
});

function parametersOf(path: string): Parameter[] {
  const item = DOCUMENT.paths[path] as { parameters?: (Parameter | { $ref: string })[] };
  return (item.parameters ?? []).map((parameter) => resolved<Parameter>(parameter));
}
