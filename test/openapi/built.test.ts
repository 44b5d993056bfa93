// The built documents: the one that the tests compare every response with, and the same operations,
// names and rules in the older syntax of OpenAPI 3.0.3.

import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../src/clients/openapi/document.js';
import { inVersion30 } from '../../src/clients/openapi/version-3-0.js';
import { DOCUMENT, OPERATIONS } from '../support/openapi-document.js';
import { ROOT, textOf } from '../support/pages.js';

const OLD = JSON.parse(JSON.stringify(inVersion30(openApiDocument())));

it('The 3.0 document has the same operations and schemas, and ranges instead of `default`', () => {
  expect(OLD.openapi).toBe('3.0.3');
  expect(Object.keys(OLD.components.schemas)).toEqual(
    Object.keys(DOCUMENT.components['schemas'] ?? {}),
  );
  for (const { path, method, object } of OPERATIONS) {
    const { operationId, responses } = OLD.paths[path][method.toLowerCase()];
    const statuses = Object.keys(object.responses).filter((status) => status !== 'default');
    expect(operationId).toBe(object.operationId);
    expect(Object.keys(responses)).toEqual([...statuses, '4XX', '5XX']);
  }
});

it('The 3.0 document writes null, `above 0` and examples in the older form', () => {
  const { amount, date, method } = OLD.components.schemas.NewOrder.properties;
  expect(method).toMatchObject({ type: 'string', nullable: true });
  expect(amount).toMatchObject({ minimum: 0, exclusiveMinimum: true });
  expect(date).toHaveProperty('example');
  expect(JSON.stringify(OLD)).not.toMatch(/patternProperties|"null"|"const"|"summary":"Customers/);
});

it.each([
  ['openapi.json', DOCUMENT],
  ['openapi-3.0.json', OLD],
])('dist/%s matches the sources', (name, document) => {
  expect(JSON.parse(textOf(`dist/${name}`))).toEqual(document);
});

it('The documented command writes the document', () => {
  const page = textOf('src/clients/client/README.md');
  const [, command = ''] = /`(npm run openapi.*) > openapi\.json`/.exec(page) ?? [];
  const { stdout } = spawnSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual(DOCUMENT);
});
