// What a check expects, without a test framework: an error that says what was
// found and what was wanted.

const SHOWN_MAX_CHARACTERS = 400;

/** Throws unless both are the same JSON, whatever the order of properties. */
export function expectSame(what: string, found: unknown, wanted: unknown): void {
  const [shownFound, shownWanted] = [canonical(found), canonical(wanted)];
  if (shownFound === shownWanted) return;
  throw new Error(`${what}: found ${cut(shownFound)}; it must be ${cut(shownWanted)}`);
}

export function expectTrue(what: string, isTrue: boolean): void {
  if (!isTrue) throw new Error(`${what}: this does not hold`);
}

/** Throws unless the promise rejects. */
export async function expectRejection(what: string, promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => 'resolved',
    () => 'rejected',
  );
  expectSame(what, outcome, 'rejected');
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_name, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}

function cut(text: string): string {
  return text.length <= SHOWN_MAX_CHARACTERS ? text : `${text.slice(0, SHOWN_MAX_CHARACTERS)}…`;
}
