// A listening socket that outlives the service: restarts refuse nobody.

import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldSocket } from '../../src/hosts/node/held-socket.js';
import { tokenOf } from '../support/identity-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { holdService } from '../support/socket-holder.js';

const RESTARTS = 3;

describe('A socket that is handed over', () => {
  let service: NodeService;

  beforeEach(async () => {
    service = await openNodeService();
  });
  afterEach(() => service.close());

  it('is not used when it was handed to another process', () => {
    expect(heldSocket({}, 42)).toBeUndefined();
    expect(heldSocket({ LISTEN_FDS: '1', LISTEN_PID: '41' }, 42)).toBeUndefined();
    expect(heldSocket({ LISTEN_FDS: '1' }, 42)).toBeUndefined();
  });

  it.each(['0', '2', 'x'])('%s of them end the start', (count) => {
    expect(() => heldSocket({ LISTEN_FDS: count, LISTEN_PID: '42' }, 42)).toThrow(
      'it must be 1: put one ListenStream= into the socket unit',
    );
  });

  it('a descriptor that is not a listening socket ends the start', async () => {
    const launcher = ['sh', '-c', 'LISTEN_PID=$$ exec "$@" 3</dev/null', 'launcher'];
    await expect(service.start({ LISTEN_FDS: '1' }, undefined, launcher)).rejects.toThrow(
      'descriptor 3 is no listening TCP socket',
    );
  });

  it('serves across restarts: no request fails, and every acknowledged record is kept', async () => {
    const held = await holdService({ ...service.environment, HOST: '203.0.113.1' });
    try {
      await held.started(1);
      expect(held.output()).toContain('"event":"socket_handed_over"');
      let [isOver, requests] = [false, 0];
      const acknowledged: string[] = [];
      const headers = { Authorization: `Bearer ${tokenOf('amina')}` };
      const customers = `${held.origin}/api/v1/customers`;
      const clients = [0, 1, 2, 3].map(async (client) => {
        while (!isOver) {
          const connection = client % 2 === 0 ? { Connection: 'close' } : undefined;
          const answer = await fetch(customers, {
            method: 'POST',
            headers: { ...headers, ...connection },
            body: '{"name":"Neema","phone":"1"}',
          });
          expect(answer.status).toBe(201);
          acknowledged.push((await answer.json()).data.id);
          requests++;
        }
      });
      const all = Promise.all(clients);
      all.catch(() => {
        isOver = true;
      });
      for (let restart = 1; restart <= RESTARTS && !isOver; restart++) {
        const before = requests;
        while (requests < before + 20 && !isOver) await delay(5);
        held.signal('SIGTERM');
        await held.started(restart + 1);
      }
      isOver = true;
      await all;
      for (const id of acknowledged.slice(-5).concat(acknowledged.slice(0, 5))) {
        expect((await fetch(`${customers}/${id}`, { headers })).status).toBe(200);
      }
      const list = await fetch(customers, { headers });
      expect((await list.json()).meta.pagination.total).toBe(acknowledged.length);
    } finally {
      await held.close();
    }
  });
});
