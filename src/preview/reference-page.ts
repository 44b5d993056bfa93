// The preview's API reference: Swagger UI, with which every operation of an account can be tried. The
// page loads only local files and calls only the API.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SAMPLE_OWNER } from '../core/domain/sample-records.js';
import { API_PREFIX } from '../core/http/path.js';

const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Service Management API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger-ui.css">
<style>.response-col_links { display: none }</style>
<main id="reference"></main>
<script src="swagger-ui-bundle.js"></script>
<script src="page.js"></script>
</html>
`;

/** `validatorUrl`: otherwise Swagger UI sends the document's address to its own host. */
const SCRIPT = `// No browser may send the admin key: the API's preflight does not allow its header.
const accountsOnly = {
  statePlugins: {
    spec: {
      wrapSelectors: { allowTryItOutFor: () => (state, path) => !path.startsWith('/admin/') },
    },
  },
};
const { matches: isDark } = matchMedia('(prefers-color-scheme: dark)');
document.documentElement.classList.toggle('dark-mode', isDark);
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
  onComplete: () => ui.preauthorizeApiKey('bearer', '${SAMPLE_OWNER}'),
});
`;

type Content = (apiOrigin: string) => string | Promise<string>;

const installed = (name: string) => () =>
  readFile(fileURLToPath(import.meta.resolve(name)), 'utf8');

/** The page's files. A request's path is looked up here and never used as a file name. */
const FILES = new Map<string, [type: string, content: Content]>([
  ['/', ['text/html', () => HTML]],
  ['/page.js', ['text/javascript', () => SCRIPT]],
  ['/swagger-ui-bundle.js', ['text/javascript', installed('swagger-ui-dist/swagger-ui-bundle.js')]],
  ['/swagger-ui.css', ['text/css', installed('swagger-ui-dist/swagger-ui.css')]],
  ['/openapi.json', ['application/json', documentFor]],
]);

/** `apiOrigin`: the address that "Try it out" calls. */
export async function referenceFile(path: string, apiOrigin: string): Promise<Response> {
  const [type, content] = FILES.get(path) ?? [];
  if (content === undefined) {
    return new Response(`nothing at ${path}; the API reference is at /\n`, { status: 404 });
  }
  return new Response(await content(apiOrigin), {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      // Swagger UI's own elements have style attributes.
      'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self' ${apiOrigin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
  });
}

/** The OpenAPI document, with the preview as its server. `dist` has it next to this file's bundle. */
async function documentFor(apiOrigin: string): Promise<string> {
  const path = fileURLToPath(new URL('./openapi.json', import.meta.url));
  const document = JSON.parse(await readFile(path, 'utf8'));
  // Swagger UI would link to a page of the licence, which doesn't exist.
  delete document.info.license;
  document.servers = [{ url: apiOrigin + API_PREFIX }];
  return JSON.stringify(document);
}
