// Operations of a history that can be altered so that no right service can
// have made it.

import type { Operation } from './recorder.js';

type Pair = [first: Operation, second: Operation];

/** The last fitting operation of a kind, because at the end no client changes anything. */
export function last(
  operations: readonly Operation[],
  kind: Operation['kind'],
  fits: (operation: Operation) => boolean = () => true,
): Operation | undefined {
  return operations.findLast((operation) => operation.kind === kind && fits(operation));
}

const isOfSame = (one: Operation) => (other: Operation) =>
  other.id === one.id && other.who === one.who && other.coll === one.coll;

/** Patches that were answered before another of the same record was asked for, each with that one. */
export function changedTwice(operations: readonly Operation[]): Pair[] {
  const patches = operations.filter(({ kind, code }) => kind === 'patch' && code === 200);
  return patches.flatMap((first): Pair[] => {
    const isLater = ({ call }: Operation) => call > first.return;
    const second = patches.filter(isOfSame(first)).find(isLater);
    return second === undefined ? [] : [[first, second]];
  });
}

/** A read after two changes of a record shows the first one. */
export function staleRead(operations: Operation[]): boolean {
  for (const [first, second] of changedTwice(operations)) {
    const read = operations
      .filter(isOfSame(first))
      .find(({ kind, code, call }) => kind === 'read' && code === 200 && call > second.return);
    if (read === undefined || first.record === undefined) continue;
    read.record = first.record;
    return true;
  }
  return false;
}

/** A record is read after its delete was answered. */
export function resurrected(operations: Operation[]): boolean {
  const gone = last(operations, 'read', ({ code }) => code === 404);
  const was = operations.findLast(
    ({ record, id, who }) => record !== undefined && id === gone?.id && who === gone.who,
  );
  if (gone === undefined || was?.record === undefined) return false;
  Object.assign(gone, { code: 200, record: was.record });
  return true;
}

/** Two creates of one collection, one after the other. */
export function twoCreates(operations: readonly Operation[]): Pair | undefined {
  const creates = operations.filter(({ kind, code }) => kind === 'create' && code === 201);
  for (const first of creates) {
    const second = creates.find(
      ({ coll, who, call }) => coll === first.coll && who === first.who && call > first.return,
    );
    if (second !== undefined) return [first, second];
  }
  return undefined;
}

const swap = <T>(values: T[], one: number, other: number) => {
  [values[one], values[other]] = [values[other] as T, values[one] as T];
};

/**
 * Two neighbours of a list are swapped of which one was answered before the other
 * was asked for. The order of records that were created at the same time is free.
 */
export function swapOfOrderedRows(operations: Operation[]): boolean {
  const createOf = (row: Operation['record']) =>
    operations.find(
      ({ kind, record }) =>
        kind === 'create' && record !== undefined && record['id'] === row?.['id'],
    );
  for (const { kind, rows = [] } of operations.toReversed()) {
    if (kind !== 'list') continue;
    for (let newer = 0; newer + 1 < rows.length; newer++) {
      const [later, earlier] = [createOf(rows[newer]), createOf(rows[newer + 1])];
      if (later === undefined || earlier === undefined || earlier.return >= later.call) continue;
      swap(rows, newer, newer + 1);
      return true;
    }
  }
  return false;
}
