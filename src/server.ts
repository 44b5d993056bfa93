// `node dist/server.js`: the service on this machine, configured by the environment; `--check` only
// checks what a start needs. Units and containers run this file.

import { CHECK, SERVE } from './tools/manage/serve.js';
import { runCommand } from './tools/program/command.js';
import { terminal } from './tools/program/terminal.js';

const args = process.argv.slice(2);
const [command, rest] = args[0] === '--check' ? [CHECK, args.slice(1)] : [SERVE, args];
process.exitCode = await runCommand(command, rest, terminal(import.meta.url, command));
