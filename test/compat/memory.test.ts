// The service in memory, behind MSW in a test of an app, and in a browser page.

import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { pageCode, sectionOf } from '../support/pages.js';
import { bundled, openRecipe, openSite, openWindow, runNode } from './project.js';

const PAGE = 'src/embedding.md';

it('An app under test meets the real service behind MSW', async () => {
  const project = await openRecipe('msw', {
    'behind-msw.js': pageCode(PAGE, '`behind-msw.js`'),
    'app.js': `import { service } from './behind-msw.js';
      service.listen({ onUnhandledRequest: 'error' });
      const url = 'https://api.example.com/api/v1/customers';
      const headers = { Authorization: 'Bearer local-amina', 'Content-Type': 'application/json' };
      for (const body of ['{"name":"Neema","phone":"1"}', '{"name":""}']) {
        const answer = await fetch(url, { method: 'POST', headers, body });
        console.log(answer.status, await answer.text());
      }
      console.log((await (await fetch(url, { headers })).json()).meta.pagination.total);
      service.close();`,
  });
  onTestFinished(() => project.remove());
  const [created, refused, total] = (await runNode(project, ['app.js'])).trim().split('\n');
  expect(created).toMatch(/^201 .*"id":"CUS-0001"/);
  expect(refused).toMatch(/^422 .*name is an empty string/);
  expect(total).toBe('1');
});

it('A browser page runs the whole service, in the size that the page says', async () => {
  const project = await openRecipe('playground', {
    'demo.js': pageCode(PAGE, '`demo.js`'),
    'main.js': `import { api } from './demo.js';
      const { id } = await api.customers.create({ name: 'Neema', phone: '1' });
      const { pagination } = await api.customers.list();
      document.body.append(id + ' of ' + pagination.total);`,
  });
  onTestFinished(() => project.remove());
  const script = await bundled(project, 'main.js');
  const site = await openSite(() => script);
  onTestFinished(() => site.close());
  const window = await openWindow();
  onTestFinished(() => window.close());
  await window.page.goto(site.origin);
  await window.page.getByText('CUS-0005 of 5').waitFor();
  expect(window.complaints).toEqual([]);

  const { outputFiles } = await build({
    entryPoints: [join(project.path, 'demo.js')],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const minified = outputFiles[0]?.contents ?? new Uint8Array();
  const said = /about (\d+) KB minified, (\d+) KB compressed/.exec(
    sectionOf(PAGE, '## In a browser page'),
  );
  // To the ten kilobytes that the page gives.
  const sizes = [minified.length, gzipSync(minified).length].map(
    (bytes) => Math.round(bytes / 1e4) * 10,
  );
  expect(sizes).toEqual([Number(said?.[1]), Number(said?.[2])]);
});
