// The service on Workers, deployed with MAINTENANCE=on: its rows travel in pieces.

import { randomUUID } from 'node:crypto';
import { objectIn } from '../../core/json-line.js';
import { ApiError } from '../../operator-client.js';
import type { LoadPiece, Piece, Table } from '../../storage/object/transfer.js';
import { CommandError } from '../data/failures.js';
import type { Service } from '../data/service.js';
import type { CheckedDump, ContentLine, Store } from './dump-file.js';
import { eventLine, recordLine } from './dump-file.js';

/** Resolves with the response's data. Every call may be repeated. */
type Ask = <T>(method: string, path: string, body?: unknown) => Promise<T>;

export function workersStore(url: string, key: string, service: Service): Store {
  const ask: Ask = (method, path, body) =>
    service.withRetry(async () => {
      const response = await fetch(`${url}/maintenance/${path}`, {
        method,
        headers: { 'X-Service-Admin-Key': key },
        body: body === undefined ? null : JSON.stringify(body),
        // The key must not follow a redirect to another host.
        redirect: 'manual',
        signal: AbortSignal.timeout(service.waits.timeoutMs),
      }).catch((cause: unknown) => {
        throw new ApiError('CONNECTION_FAILED', `no answer from ${url}`, { cause });
      });
      return dataOf(response.status, await response.text());
    });
  return { kind: 'workers', lines: () => linesOf(ask), load: (dump) => load(ask, dump) };
}

function dataOf<T>(status: number, text: string): T {
  const { data, error }: { data?: T; error?: { message?: string } } = objectIn(text) ?? {};
  if (status === 200 && data !== undefined) return data;
  const reason = error?.message ?? 'deploy this release with --var MAINTENANCE:on';
  if (status === 409) throw new CommandError(reason);
  throw new ApiError('UNEXPECTED_ANSWER', reason, { status });
}

async function* linesOf(ask: Ask): AsyncGenerator<ContentLine> {
  for await (const row of rowsOf(ask, 'records', 'position')) yield recordLine(row);
  for await (const { id, event } of rowsOf(ask, 'audit_events', 'id')) {
    yield eventLine(Number(id), String(event));
  }
  yield { highest: await ask('GET', 'highest') };
}

async function* rowsOf(ask: Ask, table: Table, key: string) {
  for (let after = 0, isLast = false; !isLast; ) {
    const piece = await ask<Piece>('GET', `${table}?after=${after}`);
    yield* piece.rows;
    isLast = piece.isLast;
    after = Number(piece.rows.at(-1)?.[key]);
  }
}

async function load(ask: Ask, dump: CheckedDump): Promise<void> {
  const path = `load-${randomUUID()}`;
  let position = 0;
  for await (const { records, events } of dump.batches()) {
    const rows = records.map((line) => ({ ...line, position: ++position }));
    const piece: LoadPiece = { records: rows, events };
    await ask('PUT', path, piece);
  }
  await ask('POST', path, dump.summary.highest);
}
