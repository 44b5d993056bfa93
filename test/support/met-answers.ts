// The operations and statuses of the OpenAPI document that the contract suite met.
// Each process of a run writes its own to a file. After the run, an operation and
// status of the document that no test met is a failure.

import { randomUUID } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { openTemporaryFolder } from './temporary-folder.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the notes. */
    metAnswers: string;
  }
}

/** Writes the answers that a test file met, each once. */
export function metAnswers(folder: string, testFile: string): (answer: string) => void {
  const file = join(folder, randomUUID());
  const met = new Set<string>();
  return (answer) => {
    if (met.has(answer)) return;
    met.add(answer);
    appendFileSync(file, `${testFile}\t${answer}\n`);
  };
}

/** Vitest calls this before the run, and the returned function after it. */
export default async function watchRun(project: TestProject): Promise<() => Promise<void>> {
  const folder = await openTemporaryFolder();
  project.provide('metAnswers', folder.path);
  return async () => {
    const lines = readdirSync(folder.path).flatMap((name) =>
      readFileSync(join(folder.path, name), 'utf8').trimEnd().split('\n'),
    );
    await folder.remove();
    const notes = lines.map((line) => line.split('\t'));
    const files = new Set(notes.map(([file]) => file));
    // Only a run of the whole contract suite meets every answer.
    if (process.env['TEST_HOSTS']) return;
    if (!contractFiles().every((file) => files.has(file))) return;
    const met = new Set(notes.map(([, answer = '']) => answer));
    const wanted = {
      core: (answer: string) => !OF_OBJECTS.has(answer),
      programs: (answer: string) => OF_OBJECTS.has(answer),
    }[process.env['TEST_GROUP'] ?? ''];
    await assertAllMet(met, wanted);
  };
}

/** Answers of a host whose storage limits what a create stores: Workers alone. */
const OF_OBJECTS: ReadonlySet<string> = new Set([
  'POST /businesses 422',
  'POST /admin/accounts/{owner_sub}/businesses 422',
]);

async function assertAllMet(
  met: ReadonlySet<string>,
  isWanted: (answer: string) => boolean = () => true,
): Promise<void> {
  // Imported here, because before the run the document may not be built.
  const { OPERATIONS } = await import('./openapi-document.js');
  const unmet = OPERATIONS.flatMap(({ name, object }) =>
    Object.keys(object.responses)
      // A host gives these answers before it has a request to route; test/openapi/host-refusals tests them.
      .filter((status) => status !== 'default')
      .map((status) => `${name} ${status}`),
  ).filter((answer) => isWanted(answer) && !met.has(answer));
  if (unmet.length > 0) {
    // Vitest prints an error of this function but still exits with 0, so set the exit code.
    process.exitCode = 1;
    throw new Error(
      `the OpenAPI document has answers that no contract test met; test them, or take them out:\n${unmet.join('\n')}`,
    );
  }
}

/** The files that run on every host. The others plant a fault on one host. */
function contractFiles(): string[] {
  const folder = fileURLToPath(new URL('../contract', import.meta.url));
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .filter((path) => readFileSync(path, 'utf8').includes('onEveryHost('));
}
