// One request over kept connections, and what its sender knows afterwards.

import { Agent, request } from 'node:http';
import { jsonReply } from '../../support/json-reply.js';

const ANSWER_TIMEOUT_MS = 30_000;

export interface Asked {
  readonly method: string;
  /** Under `/api/v1`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The answer; `refused`: it never reached the service; `lost`: nobody can tell. */
export type Answer = { readonly status: number; readonly json: unknown } | 'refused' | 'lost';

export class Exchange {
  readonly #agent = new Agent({ keepAlive: true });

  send(origin: string, { method, path, headers, body }: Asked): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const length = text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) };
    return new Promise((resolve) => {
      const sent = request(`${origin}/api/v1${path}`, {
        method,
        agent: this.#agent,
        timeout: ANSWER_TIMEOUT_MS,
        headers: { ...headers, ...length, 'Accept-Encoding': 'identity' },
      });
      sent.on('timeout', () => sent.destroy());
      sent.on('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'lost'),
      );
      sent.on('response', (response) => {
        jsonReply(response).then(resolve, () => resolve('lost'));
      });
      sent.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
