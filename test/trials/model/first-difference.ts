// The first difference between two JSON values: its path, the expected value and the value
// found.

const VALUE_MAX_CHARACTERS = 200;
const NAME = /^[A-Za-z_]\w*$/;

export interface Comparison {
  /** Whether properties in another order are a difference. */
  readonly isOrdered: boolean;
}

/** Such as `$.data[3].phone: expected "1", got "2"`; undefined when the values are equal. */
export function firstDifference(
  found: unknown,
  expected: unknown,
  how: Comparison = { isOrdered: false },
  path = '$',
): string | undefined {
  if (Object.is(found, expected)) return undefined;
  if (Array.isArray(found) && Array.isArray(expected)) {
    for (let index = 0; index < Math.max(found.length, expected.length); index++) {
      const place = `${path}[${index}]`;
      if (index >= found.length) return unequal(place, 'nothing', textOf(expected[index]));
      if (index >= expected.length) return unequal(place, textOf(found[index]), 'nothing');
      const difference = firstDifference(found[index], expected[index], how, place);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (isObject(found) && isObject(expected)) return differenceOfObjects(found, expected, how, path);
  return unequal(path, textOf(found), textOf(expected));
}

function differenceOfObjects(
  found: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
  how: Comparison,
  path: string,
): string | undefined {
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  for (const name of names) {
    const place = `${path}${NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`}`;
    if (!Object.hasOwn(found, name)) return unequal(place, 'nothing', textOf(expected[name]));
    if (!Object.hasOwn(expected, name)) return unequal(place, textOf(found[name]), 'nothing');
    const difference = firstDifference(found[name], expected[name], how, place);
    if (difference !== undefined) return difference;
  }
  const [foundOrder, expectedOrder] = [Object.keys(found), Object.keys(expected)];
  const isSameOrder = foundOrder.every((name, index) => name === expectedOrder[index]);
  if (isSameOrder || !how.isOrdered) return undefined;
  return unequal(`the order of properties of ${path}`, textOf(foundOrder), textOf(expectedOrder));
}

function unequal(place: string, found: string, expected: string): string {
  return `${place}: expected ${expected}, got ${found}`;
}

function textOf(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  if (text.length <= VALUE_MAX_CHARACTERS) return text;
  return `${text.slice(0, VALUE_MAX_CHARACTERS)}… (${text.length} characters)`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
