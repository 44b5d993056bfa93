// The API reference of the preview: Swagger UI, on which every operation of an account
// can be tried. The page loads only files of this machine and calls only the API.

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { API_PREFIX } from '../core/http/path.js';

/** In `dist`, next to the bundle of this file. */
const DOCUMENT = new URL('./openapi.json', import.meta.url);
/** Owns the sample rows. */
const SAMPLE_TOKEN = 'local-preview';

const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Service Management API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger-ui.css">
<main id="reference"></main>
<script src="swagger-ui-bundle.js"></script>
<script src="page.js"></script>
</html>
`;

/** `validatorUrl`: Swagger UI would send the document's address to a host of its own. */
const SCRIPT = `// No browser may send the admin key: the API's preflight does not allow its header.
const accountsOnly = {
  statePlugins: {
    spec: {
      wrapSelectors: { allowTryItOutFor: () => (state, path) => !path.startsWith('/admin/') },
    },
  },
};
const ui = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  filter: true,
  plugins: [accountsOnly],
  tryItOutEnabled: true,
  validatorUrl: 'none',
  onComplete: () => ui.preauthorizeApiKey('bearer', '${SAMPLE_TOKEN}'),
});
`;

const installed = (name: string) => () => readFile(fileURLToPath(import.meta.resolve(name)));

/** All files of the page. A request's path is looked up here, and never used as a file name. */
const FILES = new Map<string, [type: string, content: () => string | Promise<Buffer>]>([
  ['/', ['text/html', () => HTML]],
  ['/page.js', ['text/javascript', () => SCRIPT]],
  ['/swagger-ui-bundle.js', ['text/javascript', installed('swagger-ui-dist/swagger-ui-bundle.js')]],
  ['/swagger-ui.css', ['text/css', installed('swagger-ui-dist/swagger-ui.css')]],
]);

/** Answers a request for the page or one of its files. `apiOrigin`: the address that its "try it" calls. */
export async function answerReference(
  apiOrigin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?', 1);
  const [type = '', content] = FILES.get(path) ?? [];
  if (path === '/openapi.json') {
    send(response, 'application/json', await documentFor(apiOrigin), apiOrigin);
  } else if (content !== undefined) {
    send(response, `${type}; charset=utf-8`, await content(), apiOrigin);
  } else {
    response.writeHead(404, { 'Content-Type': 'text/plain' });
    response.end(`nothing at ${path}; the API reference is at /\n`);
  }
}

/** The OpenAPI document, with the preview as its server and the preview's tokens. */
async function documentFor(apiOrigin: string): Promise<string> {
  const document = JSON.parse(await readFile(fileURLToPath(DOCUMENT), 'utf8'));
  // Swagger UI would link to a page for the licence, and there is none.
  delete document.info.license;
  document.servers = [{ url: apiOrigin + API_PREFIX }];
  document.components.securitySchemes.bearer.description = `Here \`local-NAME\` is the account \`local-NAME\`, for any NAME; \`${SAMPLE_TOKEN}\` owns the sample shop.`;
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
      // Swagger UI's own elements have style attributes.
      "style-src 'self' 'unsafe-inline'",
      'img-src data:',
      `connect-src 'self' ${apiOrigin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  });
  response.end(content);
}
