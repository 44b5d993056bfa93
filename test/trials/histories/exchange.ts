// One request over kept connections, and what its sender knows afterwards.

import { Agent } from 'node:http';
import { exchange } from '../service/exchange.js';

export interface Asked {
  readonly method: string;
  /** Under `/api/v1`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The answer; `refused`: it never reached the service; `lost`: unknown. */
export type Answer = { readonly status: number; readonly json: unknown } | 'refused' | 'lost';

export class Exchange {
  readonly #agent = new Agent({ keepAlive: true });

  async send(origin: string, { method, path, headers, body }: Asked): Promise<Answer> {
    try {
      const { status, text } = await exchange(`${origin}/api/v1${path}`, {
        method,
        agent: this.#agent,
        headers: { ...headers, 'Accept-Encoding': 'identity' },
        body: body && JSON.stringify(body),
      });
      return { status, json: JSON.parse(text) };
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'refused' : 'lost';
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}
