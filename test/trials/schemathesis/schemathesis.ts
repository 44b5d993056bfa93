// The trial `schemathesis`: another project's fuzzer reads the OpenAPI document, makes
// requests that fit it and requests that do not, follows the links, and compares every
// answer with the document.

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../../../scripts/setup.js';
import { tokenOf } from '../../support/identity-stub.js';
import { have, pythonEnvironment } from '../providers/program.js';
import { openIdentityProvider } from '../service/identity-provider.js';
import { ADMIN_KEY, startService } from '../service/service-process.js';
import type { Finding, Trial } from '../trial.js';
import { type Answers, answersIn, promisedBy } from './answers.js';

const exec = promisify(execFile);
const VERSION = '4.32.5';
const CACHE = join(root, 'data/generators');
const CONFIGURATION = fileURLToPath(new URL('./schemathesis.toml', import.meta.url));
const LINKS_CONFIGURATION = fileURLToPath(new URL('./links.toml', import.meta.url));
const RUN_MAX_MS = 3_600_000;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
/** The events of the last run, to look into a finding. */
const REPORT = join(CACHE, 'schemathesis-events.ndjson');
/** Cases of each operation and phase; with these the long version made 29,496. */
const EXAMPLES = { quick: 3, long: 130 };
/** Walks along links, of up to six requests each: there are about as many as links. */
const WALKS = { quick: 300, long: 1_500 };

interface Pass {
  readonly name: string;
  readonly document: unknown;
  readonly configuration: string;
  readonly examples: { readonly quick: number; readonly long: number };
  readonly options: readonly string[];
}

/** The long version took 15 minutes, most of it Schemathesis' own work. */
export const schemathesis: Trial = async ({ quick, only = '', folder, say }) => {
  const program = join(CACHE, 'schemathesis/bin/schemathesis');
  mkdirSync(CACHE, { recursive: true });
  await have(
    program,
    ...pythonEnvironment(join(CACHE, 'schemathesis'), `schemathesis==${VERSION}`),
  );
  const identity = await openIdentityProvider();
  const identityOrigin = new URL(identity.url).origin;
  const service = await startService({ file: join(folder, 'service.db'), identityOrigin });
  const findings: Finding[] = [];
  try {
    for (const pass of passes()) {
      if (!pass.name.includes(only)) continue;
      say(pass.name);
      const path = join(folder, 'openapi.json');
      writeFileSync(path, JSON.stringify(pass.document));
      const count = String(quick ? pass.examples.quick : pass.examples.long);
      const args = [
        ...['--config-file', pass.configuration, 'run', path, '--no-color', '-n', count],
        ...['--report', 'ndjson', '--report-ndjson-path', REPORT],
      ];
      const output = await exec(program, [...args, ...pass.options], {
        // Its caches, too, are written into the trial's folder.
        cwd: folder,
        env: {
          ...process.env,
          BASE_URL: `${service.origin}/api/v1`,
          TOKEN: tokenOf('fuzzed'),
          ADMIN_KEY,
        },
        timeout: RUN_MAX_MS,
        maxBuffer: OUTPUT_MAX_BYTES,
      }).catch((error: { stdout: string; stderr: string; code: number }) => error);
      findings.push(findingOf(pass, output, await answersIn(REPORT)));
    }
  } finally {
    await service.end('SIGTERM');
    await identity.close();
  }
  return findings;
};

/**
 * What the document says by agreement only, the service does not enforce: as it
 * stands, the document is tried with requests that fit it; without the agreements,
 * also with requests that do not, because then it must be exact.
 */
function passes(): Pass[] {
  const text = readFileSync(join(root, 'dist/openapi.json'), 'utf8');
  const document: unknown = JSON.parse(text);
  const every = { configuration: CONFIGURATION, examples: EXAMPLES };
  const positive = ['--mode', 'positive'];
  return [
    { name: 'the document as it stands', document, options: positive, ...every },
    {
      name: 'what the service enforces',
      document: withoutAgreements(document),
      options: [],
      ...every,
    },
    {
      name: 'the links of the document',
      document,
      configuration: LINKS_CONFIGURATION,
      examples: WALKS,
      options: [...positive, '--phases', 'stateful'],
    },
  ];
}

function withoutAgreements(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAgreements);
  if (typeof value !== 'object' || value === null) return value;
  if ('x-unchecked' in value) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutAgreements(inner)]),
  );
}

/**
 * Where no more than half of the operations answer 2xx, the credentials did not arrive;
 * where no more than half of the links lead to a 2xx, nothing was chained. Then the run
 * says nothing, whatever Schemathesis found.
 */
function findingOf(
  { name, document, configuration }: Pass,
  output: { stdout: string; stderr: string; code?: number },
  { counts, operations, links }: Answers,
): Finding {
  const [, cases = '0'] = /(\d[\d,]*) generated/.exec(output.stdout) ?? [];
  const promised = promisedBy(document);
  const answers = [...counts].map(([kind, count]) => `${kind} ${count}`).join(', ');
  const [reached, wanted, things] =
    configuration === LINKS_CONFIGURATION
      ? [links.size, promised.links, 'links led to a 2xx']
      : [operations.size, promised.operations, 'operations answered 2xx'];
  const facts = `${reached} of ${wanted} ${things}; answers: ${answers}`;
  const isGood = (output.code ?? 0) === 0 && cases !== '0' && reached > wanted / 2;
  return {
    fault: `Schemathesis ${VERSION}: ${name}`,
    tried: `${cases} cases`,
    found: isGood ? facts : `${facts}\n${`${output.stdout}\n${output.stderr}`.slice(-6_000)}`,
    holds: isGood,
  };
}
