// How findings write figures.

export function megabytes(bytes: number) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function seconds(milliseconds: number) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** `right` when the list of mistakes is empty; otherwise their number and the first three. */
export function summary(wrong: readonly string[], right: string) {
  return wrong.length === 0
    ? right
    : `${wrong.length} wrong, such as ${wrong.slice(0, 3).join('; ')}`;
}
