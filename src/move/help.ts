// What --help prints.

import { COMMON_HELP } from '../program/arguments.js';

export const MOVE_HELP = `npm run move -- --from FILE --to URL     a backup, or the database of a stopped
                                         service, to Workers
npm run move -- --from URL --to FILE     from Workers into a new database file

Moves accounts between one machine and Cloudflare Workers, through the
maintenance Worker.

  --account SUBJECT     this account alone; all without it
  --renumbered FILE     into a file: where the list of new ids is written, as CSV
                        (NAME-renumbered.csv beside the new file)
${COMMON_HELP}
Every record keeps its id, its times and its place, and each account's digest is
compared. Run the same command again after whatever stopped it: it goes on.
Nothing is ever overwritten.

Settings (environment)
  ADMIN_API_KEY        the key of the maintenance Worker, or
  ADMIN_API_KEY_FILE   a file with the key in its first line

Exit codes: 0 done, 1 failed, or not all is done, 2 not understood, 130 stopped with
Ctrl-C.
`;
