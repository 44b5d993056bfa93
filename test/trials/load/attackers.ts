// The process of the attackers, which a trial starts and tells what to do.

import { fork, spawnSync } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';

export interface Attackers<Task, Result> {
  /** Resolves with what the process answers. Rejects if it ends before. */
  fire(task: Task): Promise<Result>;
  end(): void;
}

/** Resolves when the program has said that it is ready. */
export async function startAttackers<Task extends object, Result>(
  program: URL,
): Promise<Attackers<Task, Result>> {
  const attacker = fork(program);
  if (attacker.pid !== undefined) keepInBackground(attacker.pid);
  const ended = new Promise<never>((_, reject) => {
    attacker.once('exit', () => reject(new Error('the attackers ended')));
  });
  // At the end nobody waits for a message.
  ended.catch(() => {});
  const message = () =>
    Promise.race([new Promise((resolve) => void attacker.once('message', resolve)), ended]);
  await message();
  return {
    async fire(task) {
      const fired = message();
      attacker.send(task);
      return (await fired) as Result;
    },
    end: () => {
      if (attacker.connected) attacker.disconnect();
    },
  };
}

/**
 * Attackers have machines of their own. Here they share the service's: they get the processor
 * last, and one core at most, so that the service always has another.
 */
function keepInBackground(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  const last = availableParallelism() - 1;
  // Without this program of Linux they run where the system lets them.
  if (last > 0) spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${last}`, `${pid}`]);
}
