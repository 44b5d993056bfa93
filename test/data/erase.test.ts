// `erase`: an account is exported, deleted from every view, added to the ledger, and reported by a
// restore that brings it back.

import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addToLedger, readLedger } from '../../src/storage/erasures/ledger.js';
import { dataService } from '../support/data-service.js';
import { openInterceptingProxy } from '../support/intercepting-proxy.js';
import { openRestoration } from '../support/restoration.js';

const service = dataService();
let settings: Record<string, string>;

beforeAll(async () => {
  await mkdir(service.at('backups'));
  settings = { BACKUP_DIR: service.at('backups'), INIT_CWD: service.folder };
});

async function fill(account: string, count: number): Promise<void> {
  const { team } = service.client.recordsOf(account);
  for (let i = 0; i < count; i++) await team.create({ name: `n${i}`, phone: '1' });
}

function words(account: string, folder: string): string[] {
  return ['erase', '--account', account, '--export-first', folder, '--confirm', account];
}

describe('An erasure', () => {
  it('exports, deletes, checks, and writes a line to the ledger', async () => {
    await fill('erin@example.com', 5);
    await fill('stays', 1);
    const { code, stdout } = await service.runProcess(words('erin@example.com', 'erin'), settings);
    expect(code).toBe(0);
    expect(stdout).toContain('erin@example.com is erased: 5 records deleted');
    expect(stdout).toContain('hold the records until 7 newer ones have replaced them: about 20');
    await expect(service.client.accounts.read('erin@example.com')).rejects.toThrow(/no record/);
    expect(await service.contents('stays', 'team')).toHaveLength(1);
    expect((await readFile(service.at('erin/team.ndjson'), 'utf8')).split('\n')).toHaveLength(6);
    const ledger = await readFile(service.at('backups-erased.ndjson'), 'utf8');
    expect(ledger).toMatch(/^\n{"account":"erin@example.com","erased":"[^"]+Z"}$/);
  });

  it('that is stopped with Ctrl-C is completed by a second one with a new folder', async () => {
    await fill('interrupted', 60);
    const [folder, rest] = [service.at('i'), service.at('i-rest')];
    const stopped = await service.runInterrupted(
      words('interrupted', folder),
      'DELETE 20',
      settings,
    );
    const stderr = expect.stringContaining(
      `stopped while deleting; ${folder} has every record; run the command again with a new folder`,
    );
    expect(stopped).toMatchObject({ code: 130, stderr });
    const left = (await service.client.recordsOf('interrupted').team.list()).pagination.total;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(41);
    expect((await readFile(`${folder}/team.ndjson`, 'utf8')).split('\n')).toHaveLength(61);
    const { code, stdout } = await service.run(words('interrupted', rest), settings);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${left} records deleted`)]);
  });

  it('does not delete records that were created after the export, and reports them', async () => {
    await fill('late', 60);
    const adding = await openInterceptingProxy({
      method: 'DELETE',
      to: service.url,
      after(_response, number) {
        if (number === 1)
          void service.client.recordsOf('late').team.create({ name: 'new', phone: '1' });
        return false;
      },
    });
    const environment = { ...settings, ...adding.environment };
    const { code, stderr } = await service.run(words('late', service.at('late')), environment);
    await adding.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining('1 record that the export lacks')]);
    expect((await service.contents('late', 'team')).map(({ name }) => name)).toEqual(['new']);
  });

  it.each([
    ['another confirmation', 'stay', '--confirm must be the subject, "stays"', {}],
    ['no ledger', 'stays', 'ERASURE_LEDGER are unset', { BACKUP_DIR: '' }],
  ])('is refused for %s', async (_name, confirmed, sentence, more) => {
    const args = ['erase', '--account', 'stays', '--export-first', 'x', '--confirm', confirmed];
    const { code, stderr } = await service.run(args, { ...settings, ...more });
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(await service.contents('stays', 'team')).toHaveLength(1);
  });
});

describe('The ledger', () => {
  const erased = '2026-02-01T00:00:00.000Z';

  it('has the time of each erasure, and appends after a torn line', async () => {
    const path = service.at('ledger.ndjson');
    expect((await readLedger(path)).get('a')).toBe(undefined);
    addToLedger(path, { subject: 'a', erased });
    await appendFile(path, '\n{"account":"0123');
    addToLedger(path, { subject: 'b', erased });
    const ledger = await readLedger(path);
    expect(['a', 'b', 'c'].map((name) => ledger.get(name))).toEqual([erased, erased, undefined]);
    await appendFile(path, '\n{"salt":"0123"}');
    await expect(readLedger(path)).rejects.toThrow('cannot be used (a line names no account)');
  });

  it('must be usable if it exists, or nothing is erased', async () => {
    await mkdir(service.at('folder.ndjson'));
    await fill('kept', 1);
    const ERASURE_LEDGER = service.at('folder.ndjson');
    const stderr = expect.stringContaining(`${ERASURE_LEDGER} cannot be used (EISDIR`);
    const run = await service.run(words('kept', service.at('k')), { ERASURE_LEDGER });
    expect(run).toMatchObject({ code: 1, stderr });
    expect(await service.contents('kept', 'team')).toHaveLength(1);
  });

  it('is read at a restore, which lists the erased accounts in the backup', async () => {
    const restoration = await openRestoration();
    onTestFinished(() => restoration.close());
    const silent = await restoration.restore([restoration.backup]);
    expect(silent.stdout).not.toContain('came back');
    const given = { subject: 'local-preview', erased: '2999-01-01T00:00:00.000Z' };
    await addToLedger(restoration.at('backups-erased.ndjson'), given);
    const { code, stdout } = await restoration.restore([restoration.backup]);
    expect(code).toBe(0);
    expect(stdout).toContain('Accounts that were erased came back:');
    expect(stdout).toContain('local-preview  erased on 2999-01-01');
  });
});
