// `node dist/console.js`: the operator's console. With `--hash` it asks for a
// password and prints what CONSOLE_PASSWORD_HASH takes.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hashPassword } from './console/credentials.js';
import { startConsole } from './console/host.js';
import { readSecretLine } from './console/secret-line.js';
import { ledgerPath } from './data/erase/ledger.js';
import { errorText, type Log } from './log.js';
import { readConsoleSettings } from './settings/console-settings.js';
import { readBackups } from './settings.js';

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
// A terminal that has gone must not end the console.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  await (process.argv.includes('--hash') ? printHash() : run());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}

async function printHash(): Promise<void> {
  const password = await readSecretLine(process.stdin, process.stderr, 'Password: ');
  process.stdout.write(`${await hashPassword(password, randomBytes)}\n`);
}

async function run(): Promise<void> {
  const { env } = process;
  const settings = readConsoleSettings(env, (path) => readFileSync(path, 'utf8'));
  const running = await startConsole({
    settings,
    erasure: { ledger: ledgerPath(env), backups: readBackups(env) },
    assetFolder: ASSETS,
    log,
    tellCode: (code) => void process.stdout.write(`code: ${code}\n`),
  });
  log.info('console_started', { address: running.origin });
  process.stdout.write(`console: ${settings.origin ?? running.origin}/\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      void running.close().then(() => process.exit(0));
    });
  }
}
