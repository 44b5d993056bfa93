// Answers through nginx and Caddy: what a proxy refuses itself looks like
// the service's own refusal, and long answers come through whole.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { isInstalled, PROXIES, type RunningProxy, startProxy } from '../support/proxies.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const KEY = 'operator'.padEnd(32, '-');
const CUSTOMERS = '/api/v1/customers';
const CLOSE = 'Connection: close';
const RECORDS = 40;
const NOTE = 'x'.repeat(250_000);

let service: NodeService;
let server: ServerProcess;
let running: RunningProxy | undefined;

beforeEach(async () => {
  service = await openNodeService();
  server = await service.start({ ADMIN_API_KEY: KEY });
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  await service.close();
});

const headersOf = (subject: string) => {
  const [name = '', value = ''] = bearer(subject).split(': ');
  return { [name]: value };
};

for (const proxy of PROXIES) {
  describe.runIf(isInstalled(proxy))(`Through ${proxy.name}`, () => {
    const start = async (limit?: string) => {
      running = await startProxy(proxy, service.folder, server.origin, limit);
      return running.origin;
    };

    it('a list of 10 MB arrives complete, and a reader that stops does not affect others', async () => {
      const origin = await start();
      for (let i = 0; i < RECORDS; i++) {
        const body = JSON.stringify({ name: `${i}`, phone: '1', note: NOTE });
        const init = { method: 'POST', headers: headersOf('long'), body };
        expect((await fetch(`${origin}${CUSTOMERS}`, init)).status).toBe(201);
      }
      const text = requestText('GET', `${CUSTOMERS}?page_size=100`, [bearer('long')]);
      const stopped = openRaw(origin, text);
      await stopped.until(({ received }) => received().length > 0);
      stopped.socket.pause();
      const answer = await fetch(`${origin}${CUSTOMERS}?page_size=100`, {
        headers: headersOf('long'),
      });
      const { data } = (await answer.json()) as { data: { name: string; note: string }[] };
      expect(data.map(({ name }) => Number(name))).toEqual(
        Array.from({ length: RECORDS }, (_, i) => RECORDS - 1 - i),
      );
      expect(data.every(({ note }) => note === NOTE)).toBe(true);
      stopped.socket.destroy();
      const other = await fetch(`${origin}${CUSTOMERS}`, { headers: headersOf('other') });
      expect(other.status).toBe(200);
    });

    it('a request id is passed on, and generated when the request has none', async () => {
      const origin = await start();
      const named = { ...headersOf('a'), 'X-Request-ID': 'mine-1' };
      const answer = await fetch(`${origin}${CUSTOMERS}`, { headers: named });
      expect(answer.headers.get('x-request-id')).toBe('mine-1');
      const unnamed = await fetch(`${origin}/api/v1/health`);
      expect(unnamed.headers.get('x-request-id')).toMatch(/^req_/);
    });

    it('a closed administration API and a stopped service are refused in the envelope', async () => {
      const origin = await start();
      const admin = { 'X-Service-Admin-Key': KEY };
      const closed = await fetch(`${origin}/api/v1/admin/overview`, { headers: admin });
      await expectEnvelope(closed, 404, 'NOT_FOUND');
      server.child.kill('SIGKILL');
      await server.exited;
      const down = await fetch(`${origin}${CUSTOMERS}`, { headers: headersOf('a') });
      await expectEnvelope(down, 503, 'SERVICE_UNAVAILABLE');
      expect(down.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(down.headers.get('access-control-expose-headers')).toContain('Retry-After');
    });

    it.runIf(proxy.limitsRequests)('too many requests are refused in the envelope', async () => {
      const origin = await start('1r/m');
      const limited: Response[] = [];
      for (let i = 0; i < 100 && limited.length === 0; i++) {
        const answer = await fetch(`${origin}/api/v1/health`);
        if (answer.status === 429) limited.push(answer);
        else await answer.body?.cancel();
      }
      const [first] = limited;
      if (first === undefined) throw new Error('no request was refused');
      await expectEnvelope(first, 429, 'RATE_LIMITED');
      expect(first.headers.get('retry-after')).toMatch(/^\d+$/);
    });

    it('a message that is not HTTP is refused, and the connection is closed', async () => {
      const origin = await start();
      const text = requestText('GET', '/api/v1/health', ['no colon', CLOSE]);
      const [answer] = await rawExchange(origin, text);
      expect(answer?.status).toBe(400);
    });
  });
}

async function expectEnvelope(answer: Response, status: number, code: string): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const { error, meta } = (await answer.json()) as {
    error: { code: string; message: string };
    meta: { request_id: string; timestamp: string };
  };
  expect(error.code).toBe(code);
  expect(meta.request_id).toBe(answer.headers.get('x-request-id'));
  expect(Number.isNaN(Date.parse(meta.timestamp))).toBe(false);
}
