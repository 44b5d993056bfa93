// Miniflare's calls from a test into workerd block on `Atomics.wait`, and take any wake-up for the
// answer. Its thread stores the answer's mark first and wakes then: on a busy machine that wake-up
// comes when the next call waits already, which then fails with `message?.id === id`. So a wait
// that ends without a new value goes on. Import this file before such calls.

const wait = Atomics.wait.bind(Atomics) as (
  array: Int32Array,
  index: number,
  value: number,
  milliseconds?: number,
) => 'ok' | 'not-equal' | 'timed-out';

Object.assign(Atomics, {
  wait(array: Int32Array, index: number, value: number, milliseconds?: number) {
    for (;;) {
      const woken = wait(array, index, value, milliseconds);
      if (woken !== 'ok' || Atomics.load(array, index) !== value) return woken;
    }
  },
});
