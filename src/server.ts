// `node dist/server.js`: the service on this machine, settings from the environment.
// The same as `manage serve`, in a file that units and containers name.

import { serve } from './tools/manage/serve.js';
import { terminal } from './tools/program/terminal.js';

const command = serve('node dist/server.js');
process.exitCode = await command.run(process.argv.slice(2), terminal(import.meta.url, command));
