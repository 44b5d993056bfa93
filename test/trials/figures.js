// Figures as the findings write them.

export function megabytes(/** @type {number} */ bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function seconds(/** @type {number} */ milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** `right` where nothing is wrong, otherwise how much is and some of it. */
export function summary(/** @type {readonly string[]} */ wrong, /** @type {string} */ right) {
  return wrong.length === 0
    ? right
    : `${wrong.length} wrong, such as ${wrong.slice(0, 3).join('; ')}`;
}
