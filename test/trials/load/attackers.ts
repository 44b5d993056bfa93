// The process of the attackers, which a trial starts and tells what to do.

import { fork } from 'node:child_process';

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
