// What isn't counted but read on request: sizes, records,
// connections, the process. The host reads it.

import type { RecordCounts } from '../../core/operator-answers.js';

export interface Figures {
  readonly build: { readonly version: string; readonly runtime: string };
  readonly usage: ProcessFigures;
  readonly eventLoop: EventLoopFigures;
  /** Undefined until the service has started. */
  readonly service: ServiceFigures | undefined;
  readonly disk: DiskFigures;
  /** What the identity provider made of a made-up token at the start; undefined before its answer, and without a provider. */
  readonly providerFinding: ProviderFinding | undefined;
  /** Undefined if no backups are configured. */
  readonly backups: BackupFigures | undefined;
  /** Undefined if there is no replica. */
  readonly replication: ReplicationFigures | undefined;
  /** Undefined if there is no ledger of erased accounts, and before the start has compared. */
  readonly erasures?: ErasureFigures | undefined;
  /** Undefined if the database is a file. */
  readonly postgres?: PostgresFigures | undefined;
}

/** Of this process's connections to Postgres. */
export interface PostgresFigures {
  /** Statements that wait for a connection. */
  readonly waiting: number;
  /** Statements that were sent again, or that no connection was free for. */
  readonly retries: number;
  /** By kind: how many were sent, and how long their answers took. Many requests may share one. */
  readonly statements: ReadonlyMap<string, { readonly count: number; readonly seconds: number }>;
}

export interface ErasureFigures {
  /** Erased accounts that are in the database again. */
  readonly back: number;
  /** There is a ledger, and it can't be read. */
  readonly isUnreadable: boolean;
}

export interface ReplicationFigures {
  /** The last sync succeeded. */
  readonly isReached: boolean;
  /** Why it is not reached. */
  readonly reason: string | undefined;
  /** Age of the oldest commit that the replica is not known to have; 0 where there is none. */
  readonly behindSeconds: number;
}

export interface ProviderFinding {
  /** The provider refuses the made-up token, as it must. */
  readonly ok: boolean;
  /** One sentence without a secret. */
  readonly found: string;
  /** What the operator can do, where it is not ok. */
  readonly remedy: string | null;
  /** It gave no answer so far. */
  readonly away?: boolean;
}

/** Bytes, seconds, counts; undefined if the system does not tell. */
export interface ProcessFigures {
  /** Seconds since 1970, UTC. */
  readonly startedAtSeconds: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly openDescriptors: number | undefined;
  readonly maxDescriptors: number | undefined;
}

export interface EventLoopFigures {
  /** Since the start. */
  readonly activeSeconds: number;
  readonly idleSeconds: number;
}

export interface ServiceFigures {
  readonly connections: number;
  /** Requests whose answer is not yet written to its end. */
  readonly requestsInFlight: number;
  /** Writes that wait for a commit. Undefined, as the next two, where no record is in memory. */
  readonly writesWaiting: number | undefined;
  /** Pieces of long work that wait for their turn, or that another thread works on. */
  readonly heavyWork: number;
  readonly records: RecordCounts | undefined;
  readonly accounts: number | undefined;
}

/** Undefined if it cannot be read. */
export interface DiskFigures {
  readonly databaseBytes: number | undefined;
  /** The log of writes beside the database. */
  readonly logBytes: number | undefined;
  /** What the service may still write on the database's disk. */
  readonly freeBytes: number | undefined;
  readonly totalBytes: number | undefined;
}

export interface BackupFigures {
  readonly folder: string;
  /** 0: only when asked for. */
  readonly intervalHours: number;
  readonly keep: number;
  /** One is being taken. */
  readonly isUnderWay: boolean;
  /** Newest first; undefined if the folder cannot be read. */
  readonly kept: readonly KeptBackup[] | undefined;
}

export interface KeptBackup {
  readonly name: string;
  /** Milliseconds since 1970, UTC. */
  readonly takenAt: number;
  readonly bytes: number;
  /** Undefined until it was counted, and where it cannot be opened. */
  readonly records?: number | undefined;
  /** Whether it could be opened and counted, when this process looked; undefined until then. */
  readonly opens?: boolean | undefined;
}

/** What is known of the newest backup. Times in milliseconds since 1970, UTC. */
export interface NewestBackup {
  /** Undefined if there is none. */
  readonly at: number | undefined;
  /** Undefined if there is none, or its size is unknown. */
  readonly bytes: number | undefined;
  /** Names of backups with a later time than now: a wrong clock made them, so they say nothing of how old the newest is. */
  readonly fromFuture: readonly string[];
}

/** `takenHere`: the last one of this process. One that a clock of the future made counts for nothing. */
export function newestBackup(
  backups: BackupFigures | undefined,
  takenHere: { readonly at?: number; readonly bytes?: number } | undefined,
  now: number,
): NewestBackup {
  const kept = backups?.kept ?? [];
  const newest = kept.find(({ takenAt }) => takenAt <= now);
  const fromFuture = kept.filter(({ takenAt }) => takenAt > now).map(({ name }) => name);
  const here = takenHere?.at !== undefined && takenHere.at <= now ? takenHere.at : undefined;
  const isHere = here !== undefined && here >= (newest?.takenAt ?? 0);
  return isHere
    ? { at: here, bytes: takenHere?.bytes, fromFuture }
    : { at: newest?.takenAt, bytes: newest?.bytes, fromFuture };
}
