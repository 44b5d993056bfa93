// Generates the OpenAPI document from the sources, in two versions. The generator itself is not shipped.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const DOCUMENT = `
  export { openApiDocument } from './src/clients/openapi/document.ts';
  export { inVersion30 } from './src/clients/openapi/version-3-0.ts';
`;

/**
 * Resolves with the documents' texts, by file name.
 * @param {string} root
 * @returns {Promise<Record<string, string>>}
 */
export async function makeDocument(root) {
  const bundled = await build({
    absWorkingDir: root,
    stdin: { contents: DOCUMENT, resolveDir: root },
    bundle: true,
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    sourcemap: 'inline',
    sourceRoot: root,
    write: false,
  });
  // A file, not a data URL, so that errors name the line in src.
  const folder = join(root, 'node_modules/.cache');
  const path = join(folder, `document-${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, bundled.outputFiles[0]?.text ?? '');
  try {
    process.setSourceMapsEnabled(true);
    const { openApiDocument, inVersion30 } = await import(pathToFileURL(path).href);
    const document = openApiDocument();
    const text = (/** @type {unknown} */ value) => `${JSON.stringify(value, null, 2)}\n`;
    return { 'openapi.json': text(document), 'openapi-3.0.json': text(inVersion30(document)) };
  } finally {
    process.setSourceMapsEnabled(false);
    rmSync(path, { force: true });
  }
}
