// How much of its 128 MB an object gives to records. Beyond that the platform would end it, for every
// account and at each start again.

/** Of all records by `memoryOf`. Measured in workerd; `src/hosts/workers/README.md` has the figures. */
export const MEMORY_MAX_BYTES = 70_000_000;
/** What memory holds of a record besides its text: 94 bytes were measured. */
const RECORD_BYTES = 100;

/** What a record takes in memory: the engine keeps two bytes for each character if one is beyond Latin-1. */
export function memoryOf(body: string): number {
  return RECORD_BYTES + (/[\u0100-\uffff]/.test(body) ? 2 : 1) * body.length;
}

export function tooLargeFor(maxBytes: number, bytes: number): Error {
  return new Error(
    `the records would take ${bytes} bytes of memory; one object has room for ${maxBytes}: delete records, or use Postgres (manage dump, manage load)`,
  );
}
