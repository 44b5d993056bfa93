// A listening socket that outlives the service: restarts refuse nobody.

import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemdSocket } from '../../src/hosts/node/systemd-socket.js';
import { asAccount } from '../support/identity-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, requestText } from '../support/raw-http.js';
import { clientOf } from '../trials/service/client.js';
import { holdService } from './socket-holder.js';

const RESTARTS = 3;
const CLIENTS = 4;
const CUSTOMERS = '/api/v1/customers';
const OWNER = asAccount('amina');
const CREATION = { method: 'POST', body: '{"name":"Neema","phone":"1"}' };

describe('A socket that is handed over', () => {
  let service: NodeService;

  beforeEach(async () => {
    service = await openNodeService();
  });
  afterEach(() => service.close());

  it('is not used if it was handed to another process, and must be the only one', () => {
    for (const LISTEN_PID of ['41', undefined]) {
      expect(systemdSocket({ LISTEN_FDS: '1', LISTEN_PID }, 42)).toBeUndefined();
    }
    for (const LISTEN_FDS of ['0', '2', 'x']) {
      const handed = () => systemdSocket({ LISTEN_FDS, LISTEN_PID: '42' }, 42);
      expect(handed).toThrow('it must be 1: put one ListenStream= into the socket unit');
    }
  });

  it('a descriptor that is not a listening socket ends the start', async () => {
    const under = ['sh', '-c', 'LISTEN_PID=$$ exec "$@" 3</dev/null', 'launcher'];
    await expect(service.start({ LISTEN_FDS: '1' }, { under })).rejects.toThrow(
      'descriptor 3 is not a listening TCP socket',
    );
  });

  it('serves across restarts: no request fails, and every acknowledged record is kept', async () => {
    const held = await holdService({ ...service.environment, HOST: '203.0.113.1' });
    let [isOver, answered, failed] = [false, 0, 0];
    const acknowledged: string[] = [];
    /** One connection at a time; every other client has a new one for each request. */
    const createAll = async (number: number) => {
      const headers = { ...OWNER, ...(number % 2 === 0 && { Connection: 'close' }) };
      while (!isOver) {
        const answer = await fetch(held.origin + CUSTOMERS, { ...CREATION, headers }).catch(
          () => {},
        );
        answered++;
        if (answer?.status === 201) acknowledged.push((await answer.json()).data.id);
        else failed++;
      }
    };
    try {
      await held.started(1);
      expect(held.output()).toContain('"event":"socket_handed_over"');
      const all = Promise.all(Array.from({ length: CLIENTS }, (_, number) => createAll(number)));
      for (let end = 1; end <= RESTARTS; end++) {
        const before = answered;
        while (answered < before + 20) await delay(5);
        held.signal('SIGTERM');
        await held.started(end + 1);
      }
      isOver = true;
      await all;
      expect(failed).toBe(0);
      const rows = await clientOf(held.origin).all<{ id: string }>('/customers', 'amina');
      expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(acknowledged));
      // A request may be on its way on an idle connection, which therefore stays open for a moment.
      const idle = openRaw(held.origin, requestText('GET', '/api/v1/health'));
      await idle.until(({ answers }) => answers().length === 1);
      const signalled = performance.now();
      held.signal('SIGTERM');
      await idle.over;
      // The moment is a second; timers may fire a little early by this process's clock.
      expect(performance.now() - signalled).toBeGreaterThan(900);
    } finally {
      await held.close();
    }
  });
});
