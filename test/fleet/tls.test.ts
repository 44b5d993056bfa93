// TLS between the processes of a fleet: each shows a certificate of the fleet's own authority.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFleet, type TestFleet } from '../support/fleet.js';
import { type IdentityStub, openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

/** Version 3 signs by `-CA` in one command. */
const hasOpenssl = /^OpenSSL [3-9]/.test(String(spawnSync('openssl', ['version']).stdout));

/** Makes an authority and a certificate of it for 127.0.0.1. */
function makeCertificate(folder: string): void {
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder });
    if (status !== 0) throw new Error(String(stderr));
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  run('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=fleet');
  run(
    ...['req', '-x509', ...key, '-keyout', 'process.key', '-out', 'process.pem'],
    ...['-subj', '/CN=process', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-CA', 'ca.pem', '-CAkey', 'ca.key'],
  );
}

describe.runIf(hasOpenssl)('A fleet with TLS between its processes', () => {
  let folder: TemporaryFolder;
  let identity: IdentityStub;
  let fleet: TestFleet;
  beforeAll(async () => {
    folder = await openTemporaryFolder();
    makeCertificate(folder.path);
    identity = await openIdentityStub();
    fleet = await openFleet(identity.url);
  });
  afterAll(async () => {
    await fleet.close();
    await identity.close();
    await folder.remove();
  });

  it('forwards over TLS, and refuses a caller without a certificate', async () => {
    const tls = {
      FLEET_TLS_CERT: join(folder.path, 'process.pem'),
      FLEET_TLS_KEY: join(folder.path, 'process.key'),
      FLEET_TLS_CA: join(folder.path, 'ca.pem'),
    };
    const first = await fleet.start(tls);
    const second = await fleet.start(tls);
    for (let account = 0; account < 8; account++) {
      const headers = { Authorization: `Bearer ${tokenOf(`account-${account}`)}` };
      const body = '{"name":"Neema","phone":"1"}';
      const url = `${first.origin}/api/v1/customers`;
      const created = await fetch(url, { method: 'POST', headers, body });
      expect(created.status).toBe(201);
      const read = await fetch(`${second.origin}/api/v1/customers`, { headers });
      expect((await read.json()).data).toHaveLength(1);
    }
    const internal = String(first.log().find(({ event }) => event === 'started')?.['internal']);
    expect(internal).toMatch(/^https:/);
    await expect(fetch(`${internal}/call`, { method: 'POST' })).rejects.toThrow();
  });
});
