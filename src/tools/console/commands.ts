// The commands that the page of a service that is down offers to paste: those of the operations
// guide, for a service installed as it says.

const UNIT = 'service-management';

/** Is it running, what did it say, would it start? */
export const LOOK_COMMANDS: readonly string[] = [
  `systemctl status ${UNIT}`,
  `journalctl -u ${UNIT} -o cat -n 50`,
  `runuser -u ${UNIT} -- ${UNIT} check --online --settings /etc/service-management.env`,
];

/** A unit that failed too often refuses to start before it is reset. */
export const START_COMMANDS: readonly string[] = [
  `systemctl reset-failed '${UNIT}*'`,
  `systemctl start ${UNIT}.socket ${UNIT}`,
];
