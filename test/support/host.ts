// What the contract suite needs of a host, and how a host is told what to be.

/** Every field is required: what a host is not told is a mistake, not a default. */
export interface HostOptions {
  /** A folder for the host's state; what one start leaves there, the next one finds. */
  readonly folder: string;
  readonly userinfoUrl: string | undefined;
  readonly adminKey: string | undefined;
  readonly corsAllowedOrigins: readonly string[];
}

/** The settings that these options are, for every host alike. */
export function environmentOf(options: HostOptions): Readonly<Record<string, string>> {
  const { userinfoUrl, adminKey, corsAllowedOrigins } = options;
  return {
    ...(userinfoUrl !== undefined && { AUTH_USERINFO_URL: userinfoUrl }),
    ...(adminKey !== undefined && { ADMIN_API_KEY: adminKey }),
    CORS_ALLOWED_ORIGINS: corsAllowedOrigins.join(','),
  };
}

export interface RunningHost {
  /** Sends a request to a path of the host, such as `/api/v1/health`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** The most that a host stores of one record, and what a larger one is answered. */
export interface RecordLimit {
  readonly maxBytes: number;
  readonly status: number;
  readonly code: string;
  /** Whether it holds for what a create writes out to, too. */
  readonly limitsCreates: boolean;
}

export interface Host {
  readonly name: string;
  readonly recordLimit: RecordLimit;
  /** Whether header values come through byte by byte; else they must be UTF-8. */
  readonly keepsHeaderBytes: boolean;
  start(options: HostOptions): Promise<RunningHost>;
  /**
   * Runs SQL on the stopped host's database that holds the account's records:
   * one for all accounts, or its own, which is there once it has written.
   */
  changeDatabase(folder: string, owner: string, ...statements: readonly string[]): Promise<void>;
}
