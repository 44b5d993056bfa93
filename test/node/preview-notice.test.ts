// How a second preview finds the first one by its notice.

import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { leaveNotice, runningPreview } from '../../src/preview/preview-notice.js';
import { type Loopback, onLoopback } from '../support/loopback.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

let folder: TemporaryFolder;
let server: Loopback;
let asked = 0;
let body = '';

beforeEach(async () => {
  folder = await openTemporaryFolder();
  asked = 0;
  const answering = createServer((_, response) => {
    asked++;
    response.end(body);
  });
  server = await onLoopback(answering);
  await leaveNotice(notice(), server.origin);
});
afterEach(async () => {
  await server.close();
  await folder.remove();
});

it('finds a service at the address of the notice', async () => {
  body = '{"data":{"service":"the preview"}}';
  expect(await runningPreview(notice())).toEqual({ origin: server.origin, processId: process.pid });
  expect(asked).toBe(1);
});

it.each(['{"data":{}}', 'null', 'not JSON'])(
  'asks once if another program answers %s',
  async (text) => {
    body = text;
    expect(await runningPreview(notice())).toBeUndefined();
    expect(asked).toBe(1);
  },
);

it('asks nobody if the notice is missing', async () => {
  expect(await runningPreview(join(folder.path, 'missing.json'))).toBeUndefined();
  expect(asked).toBe(0);
});

function notice(): string {
  return join(folder.path, 'preview.running.json');
}
