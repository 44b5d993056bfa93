// An hour in milliseconds, for settings and time windows in hours.

export const HOUR_MS = 3_600_000;
