// The refusal of settings that cannot be used, for the tests of the settings.

import {
  type Environment,
  type ReadFile,
  readSettings,
  SettingError,
} from '../../src/hosts/settings.js';

export function refusalOf(environment: Environment, readFile?: ReadFile): SettingError {
  try {
    readSettings(environment, readFile);
  } catch (error) {
    if (error instanceof SettingError) return error;
    throw error;
  }
  throw new Error('the settings were taken');
}
