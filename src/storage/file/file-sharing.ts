// Whether another process may open the file: none, or Litestream. Chosen once, when the file is opened.

/** SQLite's lock excludes every other process. */
export const EXCLUSIVE = {
  /** No other process writes back or removes the log. */
  isExclusive: true,
  lockingMode: 'exclusive',
  /** SQLite's default. */
  checkpointPages: 1_000,
  /** A backup reads the file without a lock and without its log, so checkpoints are paused during it. */
  backupMode: 'immutable=1',
};

/**
 * Litestream reads the file, and only Litestream writes back and removes the log, because this library's
 * SQLite may lose a commit if it does so while another process writes.
 */
export const WITH_LITESTREAM: typeof EXCLUSIVE = {
  isExclusive: false,
  lockingMode: 'normal',
  checkpointPages: 0,
  backupMode: 'mode=ro',
};
