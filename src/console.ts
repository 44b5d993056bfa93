// `node dist/console.js`: the operator's console. With `--hash` it asks for a
// password and prints the line that sets CONSOLE_PASSWORD_HASH.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hashPassword } from './console/credentials.js';
import { startConsole } from './console/host.js';
import { readSecretLine } from './console/secret-line.js';
import { ledgerPath } from './erasures/ledger.js';
import { errorText, type Log } from './log.js';
import { COMMON_HELP, expectNoPositionals } from './program/arguments.js';
import { EXIT_DONE, EXIT_FAILED } from './program/ending.js';
import { runProgram } from './program/run-program.js';
import { readConsoleSettings } from './settings/console-settings.js';
import { misspelledNames } from './settings/misspelled-names.js';
import { type Environment, readBackups } from './settings.js';

const ASSETS = new URL('./console/', import.meta.url);

const write = (level: string, event: string, fields: object = {}) =>
  process.stderr.write(
    `${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`,
  );
const log: Log = {
  info: (event, fields) => void write('info', event, fields),
  warn: (event, fields) => void write('warn', event, fields),
  error: (event, error, fields) =>
    void write('error', event, { ...fields, error: errorText(error) }),
};

const CONSOLE = {
  name: 'console',
  help: `npm run console -- [--hash] [--settings FILE]

Runs the operator's console until SIGTERM or Ctrl-C: prints its address, and a code
for the next sign-in.

  --hash                asks for a password and prints the line that sets
                        CONSOLE_PASSWORD_HASH, for a file of settings or a shell
${COMMON_HELP}
Settings (environment); all of them are in src/console/README.md
  SERVICE_URL         the service, /api/v1 included (http://127.0.0.1:8080/api/v1)
  ADMIN_API_KEY       its admin key, or
  ADMIN_API_KEY_FILE  a file with the key in its first line
  CONSOLE_HOST, CONSOLE_PORT
                      where it listens (127.0.0.1, 8090)
  CONSOLE_OPS_URL     the service's operations port, such as http://127.0.0.1:8082

Exit codes: 0 done, 1 failed, 2 not understood.
`,
  options: { hash: { type: 'boolean' } },
} as const;

process.exitCode = await runProgram(
  CONSOLE,
  import.meta.url,
  async ({ values, positionals, environment }) => {
    expectNoPositionals(CONSOLE, positionals);
    try {
      await (values.hash ? printHash() : run(environment));
      return EXIT_DONE;
    } catch (error) {
      // A setting that cannot be used ends a start with 1, as it does the service's.
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
      return EXIT_FAILED;
    }
  },
);

async function printHash(): Promise<void> {
  const password = await readSecretLine(process.stdin, process.stderr, 'Password: ');
  const hash = await hashPassword(password, randomBytes);
  // In quotation marks: a shell would replace what begins with $.
  process.stdout.write(`CONSOLE_PASSWORD_HASH='${hash}'\n`);
}

async function run(environment: Environment): Promise<void> {
  const settings = readConsoleSettings(environment, (path) => readFileSync(path, 'utf8'));
  for (const { event, hint } of misspelledNames(environment)) log.warn(event, { hint });
  const running = await startConsole({
    settings,
    erasure: { ledger: ledgerPath(environment), backups: readBackups(environment) },
    assetFolder: ASSETS,
    log,
    tellCode: (code) => void process.stdout.write(`code: ${code}\n`),
  });
  log.info('console_started', { address: running.origin });
  process.stdout.write(`console: ${settings.origin ?? running.origin}/\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      void running.close().then(() => process.exit(EXIT_DONE));
    });
  }
}
