// Who else may open the file: nobody, or Litestream.

/** Chosen once, when the file is opened: SQLite's lock keeps every other process out. */
export const EXCLUSIVE = {
  /** No other process writes the log back, or removes it. */
  isAlone: true,
  lockingMode: 'exclusive',
  /** SQLite's default. */
  checkpointPages: 1_000,
  /** A backup reads the file without a lock and without its log, so checkpoints pause during it. */
  backupMode: 'immutable=1',
};

/**
 * Litestream reads the file, and only Litestream writes the log back, and may remove it: this library's
 * SQLite may lose a commit if it does so while another process writes.
 */
export const WITH_LITESTREAM: typeof EXCLUSIVE = {
  isAlone: false,
  lockingMode: 'normal',
  checkpointPages: 0,
  backupMode: 'mode=ro',
};
