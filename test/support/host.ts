// The contract suite's view of a host: the calls that it needs, and the options of a start.

/** Every field is required, so that a forgotten one is a type error and not a default. */
export interface HostOptions {
  /** Of the host's state, kept from one start to the next. */
  readonly folder: string;
  readonly userinfoUrl: string | undefined;
  readonly adminKey: string | undefined;
  readonly corsAllowedOrigins: readonly string[];
  /** Whether a new database gets the sample rows. */
  readonly sampleRecords: boolean;
}

/** The options as settings, the same for every host. */
export function environmentOf(options: HostOptions): Readonly<Record<string, string>> {
  return {
    AUTH_USERINFO_URL: options.userinfoUrl ?? '',
    ADMIN_API_KEY: options.adminKey ?? '',
    CORS_ALLOWED_ORIGINS: options.corsAllowedOrigins.join(','),
    SAMPLE_RECORDS: options.sampleRecords ? 'on' : 'off',
  };
}

export interface RunningHost {
  /** Sends a request to a path of the host, such as `/api/v1/health`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Of a file, and of Postgres. */
export const RECORD_LIMIT = {
  maxBytes: 2_097_152,
  status: 422,
  code: 'VALIDATION_FAILED',
  /** Whether it also holds for the record that a create stores, which may be longer than the body. */
  limitsCreates: false,
};

export interface Host {
  readonly name: string;
  /** Hosts of the same kind keep their records with the same code. */
  readonly storage: 'libSQL file' | 'objects' | 'Postgres';
  /** The largest record that it stores, and the answer to a larger one. */
  readonly recordLimit: typeof RECORD_LIMIT;
  /** Whether header values come through byte by byte; else they must be UTF-8. */
  readonly keepsHeaderBytes: boolean;
  start(options: HostOptions): Promise<RunningHost>;
  /**
   * Runs SQL, as SQLite has it, on the stopped host's database that holds the account's records:
   * one database for all accounts, or the account's own, which exists once it has written.
   */
  changeDatabase(folder: string, owner: string, ...statements: readonly string[]): Promise<void>;
}
