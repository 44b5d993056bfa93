// `node dist/server.js`: the service on this machine, settings from the environment; with --check
// first, what a start needs. In a file that units and containers name.

import { CHECK, SERVE } from './tools/manage/serve.js';
import { runCommand } from './tools/program/command.js';
import { terminal } from './tools/program/terminal.js';

const args = process.argv.slice(2);
const [command, rest] = args[0] === '--check' ? [CHECK, args.slice(1)] : [SERVE, args];
process.exitCode = await runCommand(command, rest, terminal(import.meta.url, command));
