// The service as the console asks it: the operator's client, with answers of
// bounded length, no redirects, and a time-out that a person waits for.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { JsonObject } from '../../core/domain/json.js';
import { type Account, ApiError, type OperatorClient, type Page } from '../../operator-client.js';
import { isTooLong, Service, type StoredRecord } from '../data/service.js';
import { WAITS } from '../data/waiting.js';
import type { CommandDependencies } from '../program/command-dependencies.js';

/** A page of the console says "slow" rather than let its reader wait longer. */
const ANSWER_MAX_MS = 10_000;
/** Rows of a list; fewer where the records are so large that an answer would be too long. */
export const RECORDS_A_PAGE = 25;
const ROWS = [RECORDS_A_PAGE, 5, 1] as const;

export interface ServiceTarget {
  readonly serviceUrl: string;
  readonly adminKey: string;
}

/** A record of whatever collection, by its account. */
export interface Records {
  list(query: { q?: string; page?: number; page_size: number }): Promise<Page<StoredRecord>>;
  create(body: JsonObject): Promise<StoredRecord>;
  read(id: string): Promise<StoredRecord>;
  update(id: string, changes: JsonObject): Promise<StoredRecord>;
  delete(id: string): Promise<unknown>;
}

export class ConsoleService {
  readonly url: string;
  /** For pages: fails soon. */
  readonly client: OperatorClient;
  /** For work in the background: patient, as the data commands are. */
  readonly patient: Service;

  constructor(
    { serviceUrl, adminKey }: ServiceTarget,
    dependencies: CommandDependencies,
    answerMaxMs = ANSWER_MAX_MS,
  ) {
    this.url = serviceUrl;
    const target = { baseUrl: serviceUrl, adminKey };
    this.patient = new Service(target, dependencies);
    const quick = { ...WAITS, timeoutMs: answerMaxMs };
    this.client = new Service(target, dependencies, quick).client;
  }

  records(account: string, collection: CollectionName): Records {
    return this.client.recordsOf(account)[collection] as unknown as Records;
  }

  /** A page of a list; undefined where no account can have this subject. Where its answer is too long, the page has fewer rows, and begins where its number says for these. */
  async page(
    account: string,
    collection: CollectionName,
    query: { readonly q: string; readonly page: number },
  ): Promise<Page<StoredRecord> | undefined> {
    let failure: unknown;
    for (const size of ROWS) {
      try {
        return await this.records(account, collection).list({ ...query, page_size: size });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        if (!isTooLong(error)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /** Undefined where the account has no record. */
  async account(account: string): Promise<Account | undefined> {
    try {
      return await this.client.accounts.read(account);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isTooLong(error)) throw error;
      // Its profiles are too large to show; the list of accounts has its counts.
      const { items } = await this.client.accounts.list({ q: account, page_size: 200 });
      const summary = items.find(({ owner_sub }) => owner_sub === account);
      if (summary === undefined) throw error;
      return { ...summary, profiles: [] };
    }
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'NOT_FOUND';
}
