// Each client's requests, with their times and responses: one JSON object per line, as the
// histories' checker reads them.

import { writeFileSync } from 'node:fs';

export type Properties = Record<string, unknown>;

export interface RecordedEvent {
  readonly action: string;
  readonly coll: string;
  readonly id: string;
  readonly who: string;
  readonly changed: readonly string[];
}

export interface Payment {
  readonly order_id: string;
  readonly amount: number;
  readonly paid: number;
  due: number;
  readonly status: string;
}

/** The account and the records that a request is about; empty: all. */
export interface Target {
  readonly who: string;
  readonly operator: boolean;
  readonly coll: string;
  readonly id: string;
}

/** One request; what does not apply to its kind is absent. Times in nanoseconds since the recording began. */
export interface Asked extends Target {
  /** In the order of the requests. */
  readonly number: number;
  readonly kind: 'create' | 'patch' | 'delete' | 'read' | 'list' | 'payments' | 'page' | 'audit';
  readonly client: number;
  readonly call: number;
  readonly body?: Properties | undefined;
}

/** A request with its response; the control alters some. */
export interface Operation extends Omit<Asked, 'id'> {
  return: number;
  /** The response's status; 0 if it is unknown whether a write was made. */
  code: number;
  id: string;
  q?: string;
  readonly status?: string;
  readonly page?: number;
  readonly size?: number;
  record?: Properties;
  readonly rows?: Properties[];
  total?: number;
  readonly payments?: Payment[];
  readonly totals?: { readonly records: number; readonly counts: Readonly<Record<string, number>> };
  readonly events?: RecordedEvent[];
  readonly whole?: boolean;
}

export interface Header {
  readonly host: 'node' | 'workers' | 'postgres';
  /** Whether every audit event must be there. */
  audit: boolean;
}

export class Recorder {
  readonly operations: Operation[] = [];
  /** Writes that may still be made: their connection broke, or another process may make them. */
  open: readonly Operation[] = [];
  readonly #start = performance.now();
  #asked = 0;

  /** The number of the next request. */
  next(): number {
    return ++this.#asked;
  }

  now(): number {
    return Math.round((performance.now() - this.#start) * 1e6);
  }

  take(operation: Omit<Operation, 'return'>): Operation {
    const taken = { ...operation, return: this.now() };
    this.operations.push(taken);
    return taken;
  }

  /** A write whose outcome is unknown; `isOpen`: it may still be made. */
  takeUnclear(asked: Asked, isOpen: boolean): Operation {
    const taken = this.take({ ...asked, code: 0 });
    if (isOpen) this.open = [...this.open, taken];
    return taken;
  }

  /** These can't be made any more, because no process that could is left. */
  close(closed = this.open): void {
    for (const operation of closed) operation.return = this.now();
    this.open = this.open.filter((operation) => !closed.includes(operation));
  }
}

/** Writes a history to where the checker finds it. */
export function writeHistory(path: string, header: Header, operations: readonly Operation[]): void {
  const lines = [header, ...operations].map((line) => JSON.stringify(line));
  writeFileSync(path, `${lines.join('\n')}\n`);
}
