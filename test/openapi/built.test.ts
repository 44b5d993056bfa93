// The built documents: the one that the tests hold every answer to, and the same operations, names
// and rules in the older syntax of OpenAPI 3.0.3.

import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../src/clients/openapi/document.js';
import { inVersion30 } from '../../src/clients/openapi/version-3-0.js';
import { DOCUMENT, OPERATIONS } from '../support/openapi-document.js';
import { ROOT, textOf } from '../support/pages.js';

type Plain = Record<string, Record<string, Record<string, Record<string, unknown>>>>;

const OLD = JSON.parse(JSON.stringify(inVersion30(openApiDocument())));
const schemas: Plain = OLD.components.schemas;

it('has the operations and the schemas of the other', () => {
  expect(OLD.openapi).toBe('3.0.3');
  expect(Object.keys(OLD.paths)).toEqual(Object.keys(DOCUMENT.paths));
  expect(Object.keys(schemas)).toEqual(Object.keys(DOCUMENT.components['schemas'] ?? {}));
  for (const { path, method, object } of OPERATIONS) {
    expect(OLD.paths[path][method.toLowerCase()].operationId).toBe(object.operationId);
  }
});

it('spells null, `above 0` and examples in the older form', () => {
  const { amount, date, method } = schemas['NewOrder']?.['properties'] ?? {};
  expect(method).toMatchObject({ type: 'string', nullable: true });
  expect(amount).toMatchObject({ minimum: 0, exclusiveMinimum: true });
  expect(date).toHaveProperty('example');
});

it('has ranges in place of `default`', () => {
  for (const { path, method, object } of OPERATIONS) {
    const statuses = Object.keys(OLD.paths[path][method.toLowerCase()].responses);
    const wanted = Object.keys(object.responses).filter((status) => status !== 'default');
    expect(statuses).toEqual([...wanted, '4XX', '5XX']);
  }
});

it('has no keyword that only 3.1 has', () => {
  expect(JSON.stringify(OLD)).not.toMatch(/patternProperties|"null"|"const"/);
  expect(OLD.info).not.toHaveProperty('summary');
});

it.each([
  ['openapi.json', DOCUMENT],
  ['openapi-3.0.json', OLD],
])('dist/%s is the document of the sources', (name, document) => {
  expect(JSON.parse(textOf(`dist/${name}`))).toEqual(document);
});

it('The command of the page writes the document', () => {
  const page = textOf('src/clients/client/README.md');
  const [, command = ''] = /`(npm run openapi.*) > openapi\.json`/.exec(page) ?? [];
  const { stdout } = spawnSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual(DOCUMENT);
});
