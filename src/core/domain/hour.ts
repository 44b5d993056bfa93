// The hour in milliseconds, for every layer that works with settings and windows in hours.

export const HOUR_MS = 3_600_000;
