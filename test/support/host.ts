// The contract suite's view of a host: the calls that it needs, and the options of a start.

/** Every field is required, so that a forgotten one is a type error and not a default. */
export interface HostOptions {
  /** A folder for the host's state, kept from one start to the next. */
  readonly folder: string;
  readonly userinfoUrl: string | undefined;
  readonly adminKey: string | undefined;
  readonly corsAllowedOrigins: readonly string[];
  /** Whether a new database gets the sample rows. */
  readonly sampleRecords: boolean;
}

/** The options as settings, the same for every host. */
export function environmentOf(options: HostOptions): Readonly<Record<string, string>> {
  const { userinfoUrl, adminKey, corsAllowedOrigins, sampleRecords } = options;
  return {
    ...(userinfoUrl !== undefined && { AUTH_USERINFO_URL: userinfoUrl }),
    ...(adminKey !== undefined && { ADMIN_API_KEY: adminKey }),
    CORS_ALLOWED_ORIGINS: corsAllowedOrigins.join(','),
    SAMPLE_RECORDS: sampleRecords ? 'on' : 'off',
  };
}

export interface RunningHost {
  /** Sends a request to a path of the host, such as `/api/v1/health`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** The largest record that a host stores, and the answer to a larger one. */
export interface RecordLimit {
  readonly maxBytes: number;
  readonly status: number;
  readonly code: string;
  /** Whether the limit also holds for the record that a create stores, which may be longer than the body. */
  readonly limitsCreates: boolean;
}

/** Of a file, and of Postgres. */
export const RECORD_LIMIT: RecordLimit = {
  maxBytes: 2_097_152,
  status: 422,
  code: 'VALIDATION_FAILED',
  limitsCreates: false,
};

export interface Host {
  readonly name: string;
  /** Hosts of the same kind keep their records with the same code. */
  readonly storage: 'libSQL file' | 'objects' | 'Postgres';
  readonly recordLimit: RecordLimit;
  /** Whether header values come through byte by byte; else they must be UTF-8. */
  readonly keepsHeaderBytes: boolean;
  start(options: HostOptions): Promise<RunningHost>;
  /**
   * Runs SQL, as SQLite has it, on the stopped host's database that holds the account's records:
   * one database for all accounts, or the account's own, which exists once it has written.
   */
  changeDatabase(folder: string, owner: string, ...statements: readonly string[]): Promise<void>;
}
