// The commands that pages show to paste. They are those of the page of operations, for a
// service that was set up as it says.

const UNIT = 'service-management';
/** As the service's user, with the service's settings. */
const AS_SERVICE = `runuser -u ${UNIT} -- ${UNIT}`;
const SETTINGS = '--settings /etc/service-management.env';

/** Where the service is dead: is it running, what did it say, what does a start need? */
export const LOOK_COMMANDS: readonly string[] = [
  `systemctl status ${UNIT}`,
  `journalctl -u ${UNIT} -o cat -n 50`,
  `${AS_SERVICE} check --online ${SETTINGS}`,
];

/** Where the console may not send the admin key to the operations port. */
export const BACKUP_COMMAND = `systemctl kill -s SIGUSR2 --kill-whom=main ${UNIT}`;

/** Puts a backup in the place of the database. `path`: of the backup. */
export function restoreCommands(path: string): readonly string[] {
  return [
    `systemctl stop ${UNIT}.socket ${UNIT}`,
    `${AS_SERVICE} restore ${inShell(path)} ${SETTINGS}`,
    `systemctl start ${UNIT}.socket ${UNIT}`,
  ];
}

/** One word of a command line, whatever is in it. */
function inShell(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
