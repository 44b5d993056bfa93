// What the tests want of a real provider: tokens of every kind, and users who come to an end.

export const STEPS = [
  'good',
  'made up',
  'expired',
  'revoked',
  'other client',
  'ID token',
  'no scope',
  'user disabled',
  'user deleted',
] as const;

export type Step = (typeof STEPS)[number];

/** The result of a step: 200 let in, 401 refused; undefined when the provider has no such step. */
export type Statuses = Readonly<Partial<Record<Step, number>>>;

export interface RealProvider {
  /** Name and version, such as `Keycloak 26.4.0`. */
  readonly name: string;
  /** The AUTH_* settings that sign-in works with. */
  readonly settings: Readonly<Record<string, string>>;
  /** Settings to add for the gate; undefined when the tokens cannot pass one. */
  readonly gate: Readonly<Record<string, string>> | undefined;
  /** The promised results, without the gate and with it. */
  readonly expected: { readonly open: Statuses; readonly gated?: Statuses };
  /**
   * A token of that kind that is at its end: already expired, its user already
   * deleted. `use` is called with every token while it is still good, where it ever was.
   */
  token(step: Step, use: Use): Promise<string | undefined>;
  down(): Promise<void>;
  up(): Promise<void>;
}

export type Use = (token: string) => Promise<void>;

/** Opens a provider; `folder` is its own and is removed afterwards. */
export type OpenProvider = (folder: string) => Promise<RealProvider>;

export const PASSWORD = 'a-password-of-the-tests';

/** Of a provider that looks at everything, each time it is asked. */
export const ENDED: Statuses = {
  good: 200,
  'made up': 401,
  expired: 401,
  revoked: 401,
  'ID token': 401,
  'no scope': 401,
  'user disabled': 401,
  'user deleted': 401,
};

const CLIENTS: Partial<Record<Step, string>> = {
  'other client': 'other-app',
  expired: 'short-app',
};

/** The application that signs in at a step. */
export function clientOf(step: Step): string {
  return CLIENTS[step] ?? 'shop-app';
}

/** The users who come to an end; at every other step `asha` signs in. */
export const ENDED_USERS: Partial<Record<Step, string>> = {
  'user disabled': 'juma',
  'user deleted': 'neema',
};
