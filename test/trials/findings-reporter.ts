// Prints the trials as they run: progress to stderr, a line for each finding to
// stdout, and the counts at the end.

import type { TestAnnotation } from 'vitest';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import type { Verdict } from './trial.js';

const VERDICT_WIDTH = 9;

export default class FindingsReporter implements Reporter {
  readonly #startedAt = performance.now();
  readonly #counts: Record<Verdict, number> = { holds: 0, FAILS: 0, 'not tried': 0 };
  readonly #failed = new Set<string>();

  onTestCaseAnnotate({ name }: TestCase, { message, type }: TestAnnotation): void {
    if (isVerdict(type)) this.#report(type, name, message);
    else process.stderr.write(`${String(this.#seconds()).padStart(4)} s  ${name}: ${message}\n`);
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== 'failed' || this.#failed.has(test.name)) return;
    // No finding failed: the trial itself did.
    const found = errors.map(({ stack, message }) => stack ?? message).join('\n');
    this.#report('FAILS', test.name, `the trial itself\n           once: ${found}`);
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    for (const { stack, message } of errors) this.#report('FAILS', 'every trial', stack ?? message);
    const { holds, FAILS, 'not tried': notTried } = this.#counts;
    process.stdout.write(
      `${holds} hold, ${FAILS} fail, ${notTried} not tried, in ${this.#seconds()} s.\n`,
    );
  }

  #report(verdict: Verdict, name: string, text: string): void {
    this.#counts[verdict]++;
    if (verdict === 'FAILS') this.#failed.add(name);
    process.stdout.write(`${verdict.padEnd(VERDICT_WIDTH)}  ${name}: ${text}\n`);
  }

  #seconds(): number {
    return Math.round((performance.now() - this.#startedAt) / 1_000);
  }
}

function isVerdict(type: string): type is Verdict {
  return type === 'holds' || type === 'FAILS' || type === 'not tried';
}
