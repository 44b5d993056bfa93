// Refused requests of every kind on connections that are kept alive. The client is Node's
// own, which tries nothing twice: whatever the runtime does to a connection is seen.

import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { startMiniflare, workerOptions } from '../../support/worker-host.js';
import { summary } from '../figures.js';
import { byToken, openIdentityProvider } from '../service/identity-provider.js';
import type { Finding, TrialOptions } from '../trial.js';
import { ADMIN_KEY, DOWN_TOKEN, FULL_ACCOUNT, KINDS, type Kind } from './refusal-kinds.js';

const CONNECTIONS = 8;
/** The account that is full has as many. */
const MAX_RECORDS = 3;
const PROGRESS_REQUESTS = 10_000;

export async function refusedRequests(
  options: Pick<TrialOptions, 'folder' | 'say'> & { requests: number },
): Promise<Finding[]> {
  const { requests, folder, say } = options;
  const identity = await openIdentityProvider((token, response) => {
    if (token !== DOWN_TOKEN) return byToken(token, response);
    response.writeHead(500).end();
  });
  const settings = {
    AUTH_USERINFO_URL: identity.url,
    AUTH_CACHE_SECONDS: '300',
    ADMIN_API_KEY: ADMIN_KEY,
    ACCOUNT_MAX_RECORDS: String(MAX_RECORDS),
  };
  const miniflare = await startMiniflare([await workerOptions(join(folder, 'refused'), settings)]);
  try {
    const { origin } = await miniflare.ready;
    for (let i = 0; i < MAX_RECORDS; i++) {
      await new Connection(origin).send({ ...FULL_ACCOUNT, status: 201 });
    }
    const turns = turnsOf(requests);
    const connections = Array.from({ length: CONNECTIONS }, () => new Connection(origin));
    let sent = 0;
    await Promise.all(
      connections.map(async (connection, i) => {
        for (let turn = i; turn < requests; turn += CONNECTIONS) {
          const kind = turns[turn];
          if (kind !== undefined) await connection.send(kind);
          if (++sent % PROGRESS_REQUESTS === 0) say(`${sent} of ${requests} refused requests`);
        }
        connection.close();
      }),
    );
    return [findingOf(connections, sent)];
  } finally {
    await miniflare.dispose();
    await identity.close();
  }
}

/** Every kind equally often, those with long bodies rarely, in an order that puts each after each other. */
function turnsOf(requests: number): Kind[] {
  const turns: Kind[] = [];
  for (let round = 0; turns.length < requests; round++) {
    const kinds = KINDS.filter(({ oneIn = 1 }) => round % oneIn === 0);
    const first = round % kinds.length;
    turns.push(...kinds.slice(first), ...kinds.slice(0, first));
  }
  return turns.slice(0, requests);
}

/** One connection; a new one where the service said that it would close it. */
class Connection {
  readonly broken: string[] = [];
  readonly wrong: string[] = [];
  readonly sockets = new Set<unknown>();
  /** After these kinds the service closed the connection, … */
  readonly closedAfter: string[] = [];
  /** … and so often the answer had said so. */
  announced = 0;
  #latest = '';
  readonly #origin: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(origin: string) {
    this.#origin = origin;
  }

  async send(kind: Kind): Promise<void> {
    try {
      const { status, closes } = await this.#ask(kind);
      if (closes) this.announced++;
      this.#latest = kind.name;
      if (status !== kind.status) this.wrong.push(`${kind.name}: ${status}`);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : error;
      this.broken.push(`${kind.name}: ${code}`);
    }
  }

  #ask({ method, path, headers = {}, body }: Kind): Promise<{ status: number; closes: boolean }> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, method, headers };
      const sent = request(this.#origin + path, options, (response) => {
        const status = response.statusCode ?? 0;
        const closes = response.headers.connection === 'close';
        response.resume();
        response.on('end', () => resolve({ status, closes }));
        response.on('error', reject);
      });
      sent.on('socket', (socket) => {
        if (this.sockets.has(socket)) return;
        this.sockets.add(socket);
        // Node's client closes one itself after each HEAD, whose answer has no length.
        socket.on('end', () => this.closedAfter.push(this.#latest));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function findingOf(connections: readonly Connection[], sent: number): Finding {
  const broken = connections.flatMap((connection) => connection.broken);
  const wrong = connections.flatMap((connection) => connection.wrong);
  const closed = connections.flatMap(({ closedAfter }) => closedAfter);
  const opened = connections.reduce((sum, { sockets }) => sum + sockets.size, 0);
  const announced = connections.reduce((sum, connection) => sum + connection.announced, 0);
  return {
    fault: `refused requests of ${KINDS.length} kinds on ${CONNECTIONS} kept-alive connections`,
    tried: `${sent} requests`,
    found: `${broken.length} resets (${summary(broken, 'none')}), ${summary(wrong, 'every status as promised')}, ${opened} connections, ${closed.length} closed by the service (${[...new Set(closed)].join(', ') || 'none'}), ${announced} as announced`,
    holds: broken.length === 0 && wrong.length === 0 && closed.length <= announced,
  };
}
