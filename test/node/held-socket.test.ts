// A listening socket that outlives the service: restarts refuse nobody.

import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldSocket } from '../../src/hosts/node/held-socket.js';
import { tokenOf } from '../support/identity-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, requestText } from '../support/raw-http.js';
import { type Call, clientOf } from '../trials/service/requests.js';
import { type HeldService, holdService } from './socket-holder.js';

const RESTARTS = 3;
const CLIENTS = 4;
const CUSTOMERS = '/customers';
const OWNER = tokenOf('amina');
const CREATION: Call = {
  method: 'POST',
  path: CUSTOMERS,
  account: OWNER,
  body: { name: 'Neema', phone: '1' },
};

describe('A socket that is handed over', () => {
  let service: NodeService;

  beforeEach(async () => {
    service = await openNodeService();
  });
  afterEach(() => service.close());

  it('is not used if it was handed to another process, and must be the only one', () => {
    for (const LISTEN_PID of ['41', undefined]) {
      expect(heldSocket({ LISTEN_FDS: '1', LISTEN_PID }, 42)).toBeUndefined();
    }
    for (const LISTEN_FDS of ['0', '2', 'x']) {
      const handed = () => heldSocket({ LISTEN_FDS, LISTEN_PID: '42' }, 42);
      expect(handed).toThrow('it must be 1: put one ListenStream= into the socket unit');
    }
  });

  it('a descriptor that is not a listening socket ends the start', async () => {
    const under = ['sh', '-c', 'LISTEN_PID=$$ exec "$@" 3</dev/null', 'launcher'];
    await expect(service.start({ LISTEN_FDS: '1' }, { under })).rejects.toThrow(
      'descriptor 3 is not a listening TCP socket',
    );
  });

  /**
   * Creates records from several clients, half of them on new connections, until all ends
   * are over. Each client has one connection at a time.
   */
  async function underLoad(held: HeldService, ends: number) {
    let [isOver, answered, failed] = [false, 0, 0];
    const acknowledged: string[] = [];
    const createAll = async (number: number) => {
      let client = clientOf(held.origin);
      while (!isOver) {
        const answer = await client.send(CREATION).catch(() => undefined);
        answered++;
        if (answer === undefined) failed++;
        else {
          expect(answer.status).toBe(201);
          acknowledged.push(answer.json.data.id);
        }
        if (number % 2 === 0) {
          client.close();
          client = clientOf(held.origin);
        }
      }
      client.close();
    };
    const all = Promise.all(Array.from({ length: CLIENTS }, (_, number) => createAll(number)));
    for (let end = 1; end <= ends; end++) {
      const before = answered;
      while (answered < before + 20) await delay(5);
      held.signal('SIGTERM');
      await held.started(end + 1);
    }
    isOver = true;
    await all;
    return { failed, acknowledged };
  }

  /** The ids of all records of the account. */
  async function storedIds(held: HeldService): Promise<Set<string>> {
    const client = clientOf(held.origin);
    const rows = await client.all<{ id: string }>(CUSTOMERS, OWNER);
    client.close();
    return new Set(rows.map(({ id }) => id));
  }

  async function holding(test: (held: HeldService) => Promise<void>): Promise<void> {
    const held = await holdService({ ...service.environment, HOST: '203.0.113.1' });
    try {
      await held.started(1);
      await test(held);
    } finally {
      await held.close();
    }
  }

  it('serves across restarts: no request fails, and every acknowledged record is kept', () =>
    holding(async (held) => {
      expect(held.output()).toContain('"event":"socket_handed_over"');
      const { failed, acknowledged } = await underLoad(held, RESTARTS);
      expect(failed).toBe(0);
      expect(await storedIds(held)).toEqual(new Set(acknowledged));
    }));

  it('leaves an idle connection open for a moment, so that no request on its way is cut', () =>
    holding(async (held) => {
      const idle = openRaw(held.origin, requestText('GET', '/api/v1/health'));
      await idle.until(({ answers }) => answers().length === 1);
      const signalled = performance.now();
      held.signal('SIGTERM');
      await idle.over;
      // The moment is a second; timers may fire a little early by this process's clock.
      expect(performance.now() - signalled).toBeGreaterThan(900);
    }));
});
