// Where the objects are: the settings reach the platform in its own words.

import { expect, it } from 'vitest';
import {
  accountStub,
  directoryStub,
  type WorkerEnvironment,
} from '../../src/hosts/workers/environment.js';

/** The platform's namespace, as far as it is called; the local runtime has no places. */
function platform(settings: Record<string, string>) {
  const calls: unknown[] = [];
  const namespace = (place: string) => ({
    jurisdiction: (name: string) => namespace(`${place}/${name}`),
    idFromName: (name: string) => `${place}:${name}`,
    get: (...given: unknown[]) => calls.push(given),
  });
  const env = { ACCOUNTS: namespace('accounts'), DIRECTORY: namespace('directory'), ...settings };
  return { calls, env: env as unknown as WorkerEnvironment };
}

it.each([
  [{}, [['accounts:a'], ['directory:directory']]],
  [
    { OBJECTS_JURISDICTION: '', OBJECTS_LOCATION: 'afr' },
    [
      ['accounts:a', { locationHint: 'afr' }],
      ['directory:directory', { locationHint: 'afr' }],
    ],
  ],
  [{ OBJECTS_JURISDICTION: 'eu' }, [['accounts/eu:a'], ['directory/eu:directory']]],
])('Both kinds of objects are where %j says', (settings, wanted) => {
  const { calls, env } = platform(settings);
  accountStub(env, 'a');
  directoryStub(env);
  expect(calls).toEqual(wanted);
});

it.each([
  [
    { OBJECTS_JURISDICTION: 'mars' },
    'OBJECTS_JURISDICTION is "mars"; it must be one of eu, fedramp',
  ],
  [{ OBJECTS_LOCATION: 'Africa' }, 'OBJECTS_LOCATION is "Africa"; it must be one of wnam'],
])('A place that the platform does not know is refused: %j', (settings, sentence) => {
  const { calls, env } = platform(settings);
  expect(() => accountStub(env, 'a')).toThrow(sentence);
  expect(calls).toEqual([]);
});
