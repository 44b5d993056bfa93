// How settings are refused.

import { expect } from 'vitest';
import { SettingError } from '../../src/hosts/settings/setting-error.js';
import { type Environment, type ReadFile, readSettings } from '../../src/hosts/settings.js';

export function refusalOf(environment: Environment, readFile?: ReadFile): SettingError {
  try {
    readSettings(environment, readFile);
  } catch (error) {
    if (error instanceof SettingError) return error;
    throw error;
  }
  throw new Error('the settings were accepted');
}

/** In one sentence, without secrets, which all contain "canary". Refusals of related settings may follow. */
export function expectBadSetting(name: string, text: string, given: string, wanted: string): void {
  const { message } = refusalOf({ [name]: text });
  expect(`${message}. `).toContain(`${name} is ${given}; it must be ${wanted}. `);
  expect(message).not.toMatch(/canary|\n/);
}
