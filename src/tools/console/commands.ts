// The commands that pages offer to paste: those of the operations guide, for a service installed
// as it says.

const UNIT = 'service-management';
const AS_SERVICE = `runuser -u ${UNIT} -- ${UNIT}`;
const SETTINGS = '--settings /etc/service-management.env';

/** For a service that is down: is it running, what did it say, would it start? */
export const LOOK_COMMANDS: readonly string[] = [
  `systemctl status ${UNIT}`,
  `journalctl -u ${UNIT} -o cat -n 50`,
  `${AS_SERVICE} check --online ${SETTINGS}`,
];

/** A unit that failed too often refuses to start before it is reset. */
export const START_COMMANDS: readonly string[] = [
  `systemctl reset-failed '${UNIT}*'`,
  `systemctl start ${UNIT}.socket ${UNIT}`,
];

export const BACKUP_COMMAND = `systemctl kill -s SIGUSR2 --kill-whom=main ${UNIT}`;

/** Replaces the database by a backup. */
export function restoreCommands(backupPath: string): readonly string[] {
  return [
    `systemctl stop ${UNIT}.socket ${UNIT}`,
    `${AS_SERVICE} restore ${shellWord(backupPath)} ${SETTINGS}`,
    ...START_COMMANDS,
  ];
}

function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
