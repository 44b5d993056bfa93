// The service as the console calls it: the operator's client, with answers of bounded length, no
// redirects, and a timeout that suits a person.

import type { CollectionName } from '../../core/domain/collection-name.js';
import {
  type Account,
  ApiError,
  type OperatorListQuery,
  type Page,
} from '../../operator-client.js';
import { isTooLong, Service, type StoredRecord, type Target, WAITS } from '../data/service.js';
import type { Call } from '../program/command.js';

const ANSWER_MAX_MS = 10_000;
/** Rows of a list; fewer if the records are so large that an answer would be too long. */
export const RECORDS_A_PAGE = 25;
const ROWS = [RECORDS_A_PAGE, 5, 1] as const;

/** For pages: fails fast. */
export class ConsoleService extends Service {
  /** For work in the background: patient, as the data commands are. */
  readonly patient: Service;

  constructor(target: Target, dependencies: Call, timeoutMs = ANSWER_MAX_MS) {
    super(target, { ...dependencies, waits: { ...WAITS, timeoutMs } });
    this.patient = new Service(target, dependencies);
  }

  /** Undefined if no account can have this subject. A page of large records has fewer rows; its number then counts such pages. */
  async page(
    account: string,
    collection: CollectionName,
    query: OperatorListQuery,
  ): Promise<Page<StoredRecord> | undefined> {
    let failure: unknown;
    for (const page_size of ROWS) {
      try {
        return await found(this.records(account, collection).list({ ...query, page_size }));
      } catch (error) {
        if (!isTooLong(error)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /** Undefined if the account has no records. */
  async account(account: string): Promise<Account | undefined> {
    try {
      return await found(this.client.accounts.read(account));
    } catch (error) {
      if (!isTooLong(error)) throw error;
      // Its profiles are too large to show; the list of accounts has its counts.
      const { items } = await this.client.accounts.list({ q: account, page_size: 200 });
      const summary = items.find(({ owner_sub }) => owner_sub === account);
      return summary && { ...summary, profiles: [] };
    }
  }
}

/** The answer; undefined for 404. */
export function found<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}
