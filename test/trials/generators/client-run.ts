// One generated client: fetched, generated, counted, compiled and run against the
// service. Its driver prints a line for each of the fourteen steps.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const COMMAND_MAX_MS = 1_200_000;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

export type Command = readonly [program: string, ...args: string[]];

/** How a client is made and run. Every path is absolute or in the client's folder. */
export interface GeneratedClient {
  /** Of the driver's language. */
  readonly language: string;
  readonly generator: string;
  readonly version: string;
  readonly document: '3.1' | '3.0';
  /** Fetches the generator where it is missing. */
  readonly fetch: () => Promise<void>;
  /** Folders and files of test/trials/generators that the client's folder needs, with their names there. */
  readonly driver: Readonly<Record<string, string>>;
  readonly generate: readonly Command[];
  /** The folders and files that the generator wrote. */
  readonly generated: readonly string[];
  /** What must stand once in a file that was generated, of a client whose compiler cannot be had. */
  readonly reading?: Readonly<Record<string, RegExp>>;
  /** Empty where the language has no compiler, undefined where its compiler cannot be had. */
  readonly compile: readonly Command[] | undefined;
  readonly run: Command;
  readonly environment?: Readonly<Record<string, string>>;
  /** Files of these endings are code. */
  readonly endings: readonly string[];
}

export interface ClientResult {
  readonly language: string;
  readonly generator: string;
  readonly version: string;
  readonly document: string;
  readonly files: number;
  readonly lines: number;
  /** Undefined where its compiler cannot be had here. */
  readonly compiles: boolean | undefined;
  /** Steps that hold, of fourteen. */
  readonly steps: number;
  readonly problems: readonly string[];
  /** A property that the document does not name: `kept` or `lost` on a read. */
  readonly unknown: string;
  /** A list with a value of another program's type: `read` or `fails`. */
  readonly foreign: string;
}

export const STEPS = [
  'create',
  'list',
  'search',
  'read',
  'change',
  'order',
  'large amount',
  'status alone',
  'payments',
  'more properties',
  'delete',
  '404',
  '422',
  'operator',
] as const;

export interface Place {
  /** The client's own folder; emptied except for the compilers' caches. */
  readonly folder: string;
  /** Where the drivers are. */
  readonly drivers: string;
  /** The OpenAPI documents by version. */
  readonly documents: Readonly<Record<GeneratedClient['document'], string>>;
}

/** A compiler or another program that this machine lacks, so that the client could not be tried. */
export class MissingProgram extends Error {
  constructor(program: string) {
    super(`this machine has no ${program}`);
  }
}

/** Generates and counts. Rejects with the generator's words when it fails. */
export async function generated(client: GeneratedClient, place: Place): Promise<ClientResult> {
  mkdirSync(place.folder, { recursive: true });
  for (const name of client.generated) {
    rmSync(join(place.folder, name), { recursive: true, force: true });
  }
  cpSync(place.documents[client.document], join(place.folder, 'openapi.json'));
  for (const [from, to] of Object.entries(client.driver)) {
    cpSync(join(place.drivers, from), join(place.folder, to), { recursive: true });
  }
  await client.fetch();
  for (const command of client.generate) await run(command, client, place.folder);
  const drivers = Object.values(client.driver).map((name) => join(place.folder, name));
  const files = client.generated
    .flatMap((name) => codeIn(join(place.folder, name), client))
    .filter((path) => !drivers.includes(path));
  const lines = files.map((path) => readFileSync(path, 'utf8').split('\n').length - 1);
  const { language, generator, version, document } = client;
  return {
    language,
    generator,
    version,
    document,
    files: files.length,
    lines: lines.reduce((sum, count) => sum + count, 0),
    compiles: undefined,
    steps: 0,
    problems: Object.entries(client.reading ?? {}).flatMap(([file, wanted]) => {
      const found = readFileSync(join(place.folder, file), 'utf8').match(wanted)?.length ?? 0;
      return found === 1 ? [] : [`${file} has ${found} times ${wanted}`];
    }),
    unknown: '',
    foreign: '',
  };
}

/** Compiles and runs. `service`: the environment that tells the driver where the service is. */
export async function driven(
  client: GeneratedClient,
  made: ClientResult,
  place: Place,
  service: Readonly<Record<string, string>>,
): Promise<ClientResult> {
  if (client.compile === undefined) return made;
  // After the generator, which may have written over the driver's folder.
  for (const [from, to] of Object.entries(client.driver)) {
    cpSync(join(place.drivers, from), join(place.folder, to), { recursive: true });
  }
  try {
    for (const command of client.compile) await run(command, client, place.folder);
  } catch (error) {
    return { ...made, compiles: false, problems: [wordsOf(error)] };
  }
  const output = await run(client.run, client, place.folder, service).catch(wordsOf);
  const lines = output.split('\n');
  const good = STEPS.filter((step) => lines.includes(`ok ${step}`));
  const problems = lines.filter((line) => line.startsWith('no '));
  const fact = (name: string) =>
    lines.find((line) => line.startsWith(`fact ${name} `))?.split(' ')[2] ?? '';
  return {
    ...made,
    compiles: true,
    steps: good.length,
    problems: good.length + problems.length === STEPS.length ? problems : [output.slice(-1_500)],
    unknown: fact('unknown'),
    foreign: fact('foreign').replace(/:$/, ''),
  };
}

function codeIn(path: string, client: GeneratedClient): string[] {
  const names = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
    : [path];
  return names.filter(
    (name) =>
      client.endings.some((ending) => name.endsWith(ending)) &&
      !/\/(target|tests?|docs)\//.test(name),
  );
}

async function run(
  [program, ...args]: Command,
  { environment }: GeneratedClient,
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = {
    cwd,
    env: { ...process.env, ...environment, ...more },
    maxBuffer: OUTPUT_MAX_BYTES,
    timeout: COMMAND_MAX_MS,
  };
  try {
    const { stdout } = await exec(program, args, options);
    return stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new MissingProgram(program);
    throw error;
  }
}

/** What a program said that failed. A program that is missing says nothing: rethrown. */
function wordsOf(error: unknown): string {
  if (error instanceof MissingProgram) throw error;
  const { stdout = '', stderr = '', message = '' } = error as Record<string, string | undefined>;
  return `${stdout}\n${stderr || message}`.trim().slice(-1_500);
}
