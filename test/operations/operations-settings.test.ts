// The settings of the operations port, the request log and the stop.

import { expect, it } from 'vitest';
import { readOperationsSettings } from '../../src/hosts/settings/operations-settings.js';

it('are all off by default', () => {
  expect(readOperationsSettings({})).toEqual({
    port: undefined,
    requestLog: undefined,
    readyStopDelayMs: 0,
  });
});

it('are read as they are given', () => {
  const environment = {
    OPS_PORT: '0',
    OPS_HOST: '10.1.2.3',
    REQUEST_LOG: 'slow',
    SLOW_REQUEST_MS: '250',
    READY_STOP_DELAY_MS: '5000',
  };
  expect(readOperationsSettings(environment)).toEqual({
    port: { host: '10.1.2.3', port: 0 },
    requestLog: { choice: 'slow', slowMs: 250 },
    readyStopDelayMs: 5_000,
  });
});

it.each([
  '127.0.0.1',
  'localhost',
  '::1',
  '172.16.0.1',
  '192.168.1.9',
  '100.64.0.1',
  'fd12:3456::1',
])("accept %s as the port's address", (OPS_HOST) => {
  expect(readOperationsSettings({ OPS_PORT: '1', OPS_HOST }).port?.host).toBe(OPS_HOST);
});

it.each([
  ['OPS_HOST', '0.0.0.0'],
  ['OPS_HOST', '::'],
  ['OPS_HOST', '8.8.8.8'],
  ['OPS_HOST', '172.32.0.1'],
  ['OPS_HOST', '192.168.1.256'],
  ['OPS_HOST', '10.example.com'],
  ['OPS_PORT', '65536'],
  ['OPS_PORT', 'http'],
  ['REQUEST_LOG', 'yes'],
  ['SLOW_REQUEST_MS', '-1'],
  ['READY_STOP_DELAY_MS', '60001'],
])('refuse %s=%s, by name', (name, value) => {
  expect(() => readOperationsSettings({ [name]: value })).toThrow(
    new RegExp(`^${name} is "${value.replaceAll('.', '\\.')}"; it must be `),
  );
});
