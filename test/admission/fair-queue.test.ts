// The queue: accounts take turns, each oldest first; disconnected clients are dropped.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FairQueue } from '../../src/core/admission/fair-queue.js';

it('A queue behaves like a plain list of the accounts, for any sequence of steps', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), account: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ do: fc.constant('take' as const) }),
    fc.record({ do: fc.constant('leave' as const), which: fc.nat(200) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const queue = new FairQueue<ReturnType<typeof itemOf>>();
      const model: { account: string; items: ReturnType<typeof itemOf>[] }[] = [];
      const all: ReturnType<typeof itemOf>[] = [];
      for (const given of steps) {
        if (given.do === 'add') {
          const item = itemOf();
          queue.add(given.account, item);
          all.push(item);
          const entry = model.find(({ account }) => account === given.account);
          if (entry === undefined) model.push({ account: given.account, items: [item] });
          else entry.items.push(item);
        } else if (given.do === 'leave') {
          const item = all[given.which % all.length];
          if (item !== undefined) item.isGone = true;
        } else {
          // A disconnected item keeps its account's place until the account's turn.
          let entry = model.shift();
          while (entry?.items.every(({ isGone }) => isGone)) entry = model.shift();
          const at = entry?.items.findIndex(({ isGone }) => !isGone) ?? 0;
          expect(queue.take()).toBe(entry?.items[at]);
          if (entry === undefined) continue;
          entry.items.splice(0, at + 1);
          if (entry.items.length > 0) model.push(entry);
        }
      }
      expect(all.filter(({ isGone, rejected }) => rejected > (isGone ? 1 : 0))).toEqual([]);
    }),
  );
});

function itemOf() {
  const item = { isGone: false, rejected: 0, isDisconnected: () => item.isGone, reject() {} };
  item.reject = () => void item.rejected++;
  return item;
}
