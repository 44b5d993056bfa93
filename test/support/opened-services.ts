// What the tests of the current file have opened for all of them, by a key.

interface Closable {
  close(): Promise<void>;
}

const opened = new Map<string, Closable>();

/** The value of that key in this file of tests; the first call makes it. It is closed after the file's last test. */
export function openedOnce<Value extends Closable>(key: string, make: () => Value): Value {
  const value = (opened.get(key) as Value | undefined) ?? make();
  opened.set(key, value);
  return value;
}

export async function closeOpened(): Promise<void> {
  const values = [...opened.values()];
  opened.clear();
  await Promise.all(values.map((value) => value.close()));
}
