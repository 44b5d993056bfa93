// The recipe for a phone in the same network: the real development server with the page's
// configuration, in front of a preview. The phone is a request with its own address in it.

import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageCode, ROOT } from '../support/pages.js';
import { interrupted, printed, spawnPreview } from '../support/preview-process.js';
import type { Program } from '../support/program.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { openRecipe, type Project, startNode } from './project.js';

const PHONE = { host: '192.168.1.5:5173', origin: 'http://192.168.1.5:5173' };

let folder: TemporaryFolder;
let preview: Program;
let project: Project;
let vite: Program;
let api = '';
let site = '';

beforeAll(async () => {
  folder = await openTemporaryFolder();
  preview = spawnPreview(folder.path);
  api = /runs at (\S+)/.exec(await printed(preview))?.[1] ?? '';
  const configuration = pageCode('src/clients/client/RECIPES.md', '`vite.config.js`');
  project = await openRecipe('lan', {
    'vite.config.js': configuration.replace('http://127.0.0.1:8080', new URL(api).origin),
    'index.html': '<!doctype html><title>The app</title>',
  });
  vite = startNode(project, [join(ROOT, 'node_modules/vite/bin/vite.js'), '--port', '0']);
  const port = await vite.saw(/localhost:(\d+)/);
  site = `http://127.0.0.1:${port}/api/v1`;
});
afterAll(async () => {
  await vite?.stop();
  await project?.remove();
  await interrupted(preview);
  await folder.remove();
});

/** The status of a create that the phone's page sends to that address. */
function created(address: string): Promise<number | undefined> {
  const headers = { ...PHONE, Authorization: 'Bearer local-amina' };
  return new Promise((resolve, reject) => {
    request(`${address}/customers`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end('{"name":"Neema","phone":"1"}');
  });
}

it('A page on a phone creates a record through the development server', async () => {
  expect(await created(site)).toBe(201);
});

it('The preview itself answers no phone', async () => {
  expect(await created(api)).toBe(403);
});
