// The trial `upgrades`: the service is restarted and killed under load while its listening socket
// is held from outside, as systemd holds it. A restart fails nothing; a kill only what was under way.

import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { holdService } from '../support/socket-holder.js';
import type { Finding, Trial } from './trial.js';

const RESTARTS = 50;
const KILLS = 20;
const QUICK_RESTARTS = 4;
const QUICK_KILLS = 2;
const CLIENTS = 16;
const LOAD_MS = 150;

export const upgrades: Trial = async ({ quick, folder, say }) => {
  const identity = await startIdentityProvider();
  const held = await holdService({
    DATABASE_URL: `file:${join(folder, 'service.db')}`,
    AUTH_USERINFO_URL: `${identity.origin}/userinfo`,
    AUTH_CACHE_SECONDS: '300',
  });
  const load = new Load(held.origin);
  try {
    await held.started(1);
    load.start();
    let starts = 1;
    const repeat = async (times: number, signal: 'SIGTERM' | 'SIGKILL') => {
      load.begin();
      for (let time = 1; time <= times; time++) {
        await load.answered(CLIENTS * 4);
        await delay(LOAD_MS);
        held.signal(signal);
        await held.started(++starts);
        if (time % 10 === 0) say(`${time} of ${times} by ${signal}, ${load.failed} failed`);
      }
      await load.answered(CLIENTS * 4);
      return { requests: load.requests, failed: load.failed, longestMs: load.longestMs };
    };
    const restarts = quick ? QUICK_RESTARTS : RESTARTS;
    const kills = quick ? QUICK_KILLS : KILLS;
    const restarted = await repeat(restarts, 'SIGTERM');
    const killed = await repeat(kills, 'SIGKILL');
    await load.stop();
    const missing = await load.missing();
    const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(2);
    const findings: Finding[] = [
      {
        fault: 'a restart under load while the socket is held from outside',
        tried: `${restarts} restarts, ${restarted.requests} requests of ${CLIENTS} clients, half of them on new connections, half of them writes`,
        found: `${restarted.failed} failed, the longest waited ${seconds(restarted.longestMs)} s`,
        holds: restarted.failed === 0,
      },
      {
        fault: 'kill -9 under load while the socket is held from outside',
        tried: `${kills} kills, ${killed.requests} requests`,
        found: `${killed.failed} failed, which were under way, at most ${CLIENTS} a kill; the longest waited ${seconds(killed.longestMs)} s; ${missing} of ${load.acknowledged.length} acknowledged records missing at the end`,
        holds: killed.failed <= kills * CLIENTS && missing === 0,
      },
    ];
    return findings;
  } finally {
    await load.stop();
    await held.close();
    await identity.process.stop();
  }
};

/** Clients in a closed loop: each sends its next request when the last one is answered or failed. */
class Load {
  readonly #origin: string;
  readonly #kept = new Agent({ keepAlive: true });
  readonly acknowledged: { readonly account: string; readonly id: string }[] = [];
  requests = 0;
  failed = 0;
  longestMs = 0;
  #isOver = false;
  #clients: Promise<unknown> | undefined;

  constructor(origin: string) {
    this.#origin = origin;
  }

  start(): void {
    this.#clients = Promise.all(
      Array.from({ length: CLIENTS }, (_, number) => this.#client(number)),
    );
  }

  begin(): void {
    [this.requests, this.failed, this.longestMs] = [0, 0, 0];
  }

  /** Resolves when so many more requests were answered. */
  async answered(count: number): Promise<void> {
    const until = this.requests + count;
    while (this.requests < until) await delay(5);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
    this.#kept.destroy();
  }

  /** How many acknowledged records the service does not have. */
  async missing(): Promise<number> {
    let missing = 0;
    for (const { account, id } of this.acknowledged) {
      const answer = await this.#send('GET', `/customers/${id}`, account, false);
      if (answer?.status !== 200) missing++;
    }
    return missing;
  }

  async #client(number: number): Promise<void> {
    const account = `account-${number}`;
    for (let turn = 0; !this.#isOver; turn++) {
      const began = performance.now();
      const isWrite = turn % 2 === 0;
      const answer = isWrite
        ? await this.#send('POST', '/customers', account, number % 2 === 0)
        : await this.#send('GET', '/customers', account, number % 2 === 0);
      this.longestMs = Math.max(this.longestMs, performance.now() - began);
      this.requests++;
      if (answer?.status !== (isWrite ? 201 : 200)) this.failed++;
      else if (isWrite) this.acknowledged.push({ account, id: JSON.parse(answer.text).data.id });
    }
  }

  #send(method: string, path: string, account: string, isKept: boolean) {
    return new Promise<{ status: number; text: string } | undefined>((resolve) => {
      const sent = request(
        `${this.#origin}/api/v1${path}`,
        {
          method,
          headers: { Authorization: `Bearer ${account}` },
          ...(isKept ? { agent: this.#kept } : { agent: false }),
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece) => {
            text += piece;
          });
          response.on('error', () => resolve(undefined));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      sent.on('error', () => resolve(undefined));
      sent.end(method === 'POST' ? '{"name":"Neema","phone":"1"}' : undefined);
    });
  }
}
