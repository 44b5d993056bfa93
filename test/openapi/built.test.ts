// The built description of the API is the one that the tests hold every answer to.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openApiDocument } from '../../src/clients/openapi/document.js';
import { inVersion30 } from '../../src/clients/openapi/version-3-0.js';
import { DOCUMENT } from '../support/openapi-document.js';
import { ROOT, textOf } from '../support/pages.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

it('dist/openapi.json is the document of the sources', () => {
  expect(built('openapi.json')).toEqual(DOCUMENT);
});

it('dist/openapi-3.0.json is the same in OpenAPI 3.0.3', () => {
  expect(built('openapi-3.0.json')).toEqual(inVersion30(openApiDocument()));
});

it('The command of the page writes the document', async () => {
  const folder = await openTemporaryFolder();
  onTestFinished(() => folder.remove());
  const target = join(folder.path, 'openapi.json');
  const command = /`(npm run openapi.* > )openapi\.json`/.exec(
    textOf('src/clients/client/README.md'),
  )?.[1];
  expect(command).toBeDefined();
  const { status } = spawnSync('sh', ['-c', `${command}"$TARGET"`], {
    cwd: ROOT,
    env: { ...process.env, TARGET: target },
  });
  expect(status).toBe(0);
  expect(JSON.parse(await readFile(target, 'utf8'))).toEqual(DOCUMENT);
});

function built(name: string): unknown {
  const path = fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));
  return JSON.parse(readFileSync(path, 'utf8'));
}
