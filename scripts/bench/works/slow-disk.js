// Being written.

/** @import { Line } from '../table.js' */

/** @returns {Promise<Line[]>} */
export async function slowDisk() {
  return [];
}
