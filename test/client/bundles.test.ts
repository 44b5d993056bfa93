// What the built clients hold, and what they must not.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const built = (name: string) =>
  readFileSync(new URL(`../../dist/${name}`, import.meta.url), 'utf8');

describe.each(['client.js', 'client-shared.js', 'operator-client.js'])('%s', (name) => {
  it('imports nothing but what the two clients share', () => {
    const imports = [...built(name).matchAll(/\bfrom ?["']([^"']+)["']/g)].map(([, from]) => from);
    expect(new Set([...imports, './client-shared.js'])).toEqual(new Set(['./client-shared.js']));
    expect(built(name)).not.toMatch(/node:|\bprocess\b|\brequire\b/);
  });
});

it("The client holds nothing of the operator's side", () => {
  expect(built('operator-client.js')).toMatch(/X-Service-Admin-Key/);
  expect(built('client.js') + built('client-shared.js')).not.toMatch(/admin/i);
});
