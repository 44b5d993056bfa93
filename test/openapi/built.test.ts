// The built description of the API is the one that the tests hold every answer to.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../src/clients/openapi/document.js';
import { inVersion30 } from '../../src/clients/openapi/version-3-0.js';
import { DOCUMENT } from '../support/openapi-document.js';
import { ROOT, textOf } from '../support/pages.js';

it.each([
  ['openapi.json', DOCUMENT],
  ['openapi-3.0.json', inVersion30(openApiDocument())],
])('dist/%s is the document of the sources', (name, document) => {
  expect(JSON.parse(readFileSync(join(ROOT, 'dist', name), 'utf8'))).toEqual(document);
});

it('The command of the page writes the document', () => {
  const page = textOf('src/clients/client/README.md');
  const [, command = ''] = /`(npm run openapi.*) > openapi\.json`/.exec(page) ?? [];
  const { stdout } = spawnSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual(DOCUMENT);
});
