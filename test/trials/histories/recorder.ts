// The history as it is recorded: what each client asked, when, and what it was
// answered, one JSON object a line, as the checker reads it.

import { writeFileSync } from 'node:fs';

export type Properties = Record<string, unknown>;

export interface Totals {
  records: number;
  counts: Record<string, number>;
}

export interface RecordedEvent {
  action: string;
  coll: string;
  id: string;
  who: string;
  changed: string[];
}

export interface Payment {
  order_id: string;
  amount: number;
  paid: number;
  due: number;
  status: string;
}

/** Of the operator: an account's page, and the audit log. */
type View = 'page' | 'audit';

/** One operation; what does not belong to its kind is not there. Times in nanoseconds since the recording began. */
export interface Operation {
  number: number;
  client: number;
  call: number;
  return: number;
  kind: 'create' | 'patch' | 'delete' | 'read' | 'list' | 'payments' | View;
  who: string;
  operator: boolean;
  coll: string;
  id: string;
  body?: Properties;
  q?: string;
  status?: string;
  page?: number;
  size?: number;
  /** The answer's status; 0 when it is unknown whether a write was made. */
  code: number;
  record?: Properties;
  rows?: Properties[];
  total?: number;
  payments?: Payment[];
  totals?: Totals;
  events?: RecordedEvent[];
  whole?: boolean;
}

export interface Header {
  host: 'node' | 'workers' | 'postgres';
  /** Whether every audit event must be there. */
  audit: boolean;
}

const NANOSECONDS_A_MILLISECOND = 1e6;

export class Recorder {
  readonly operations: Operation[] = [];
  readonly #is500Open: boolean;
  readonly #start = performance.now();
  /** Writes whose connection broke: they may be made until the service is gone. */
  #open: Operation[] = [];

  /** `is500Open`: whether a write that was answered with 500 may yet be made, by another process than the one that answered. */
  constructor({ is500Open = false } = {}) {
    this.#is500Open = is500Open;
  }

  now(): number {
    return Math.round((performance.now() - this.#start) * NANOSECONDS_A_MILLISECOND);
  }

  take(operation: Omit<Operation, 'number' | 'return'>): Operation {
    const taken = { ...operation, number: this.operations.length, return: this.now() };
    this.operations.push(taken);
    return taken;
  }

  /** A write without an answer. */
  takeLost(operation: Omit<Operation, 'number' | 'return' | 'code'>): void {
    this.#open.push(this.take({ ...operation, code: 0 }));
  }

  /** A write that was answered with 500. */
  takeFailed(operation: Omit<Operation, 'number' | 'return' | 'code'>): Operation {
    const taken = this.take({ ...operation, code: 0 });
    if (this.#is500Open) this.#open.push(taken);
    return taken;
  }

  /** Writes that may yet be made. */
  get openWrites(): readonly Operation[] {
    return this.#open;
  }

  /** These, or all, cannot be made any more: another process has the database. */
  closeLost(closed: readonly Operation[] = this.#open): void {
    for (const operation of closed) operation.return = this.now();
    this.#open = this.#open.filter((operation) => !closed.includes(operation));
  }
}

/** Writes a history where the checker finds it. */
export function writeHistory(path: string, header: Header, operations: readonly Operation[]): void {
  const lines = [header, ...operations].map((line) => JSON.stringify(line));
  writeFileSync(path, `${lines.join('\n')}\n`);
}
