// The API reference of the preview: a page on which every operation of an account
// can be tried. It loads only its own files and calls only the API.

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { API_PREFIX } from '../http/path.js';

/** In `dist`, beside the bundle of this file. */
const FOLDER = new URL('./reference/', import.meta.url);
const DOCUMENT = new URL('./openapi.json', import.meta.url);

/** All files of the page. A request's path is looked up here, and never used as a file name. */
const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'reference.html', type: 'text/html; charset=utf-8' },
  '/reference.js': { name: 'reference.js', type: 'text/javascript; charset=utf-8' },
  '/reference.css': { name: 'reference.css', type: 'text/css; charset=utf-8' },
};

/** Answers a request for the page or one of its files. `apiOrigin`: the address that its "try it" calls. */
export async function answerReference(
  apiOrigin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?', 1);
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (path === '/openapi.json') {
    send(response, 'application/json', await documentFor(apiOrigin), apiOrigin);
  } else if (file !== undefined) {
    send(response, file.type, await readFile(fileURLToPath(new URL(file.name, FOLDER))), apiOrigin);
  } else {
    response.writeHead(404, { 'Content-Type': 'text/plain' });
    response.end(`nothing at ${path}; the API reference is at /\n`);
  }
}

/** The OpenAPI document, with the preview as its server. */
async function documentFor(apiOrigin: string): Promise<string> {
  const document = JSON.parse(await readFile(fileURLToPath(DOCUMENT), 'utf8'));
  document.servers = [{ url: apiOrigin + API_PREFIX }];
  return JSON.stringify(document);
}

function send(
  response: ServerResponse,
  type: string,
  content: string | Buffer,
  apiOrigin: string,
): void {
  response.writeHead(200, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      'img-src data:',
      `connect-src 'self' ${apiOrigin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  });
  response.end(content);
}
