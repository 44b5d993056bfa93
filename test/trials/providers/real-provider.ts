// What the trial wants of a real provider: tokens of every kind, and its accounts' fate.

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

/** What a step comes to: 200 let in, 401 refused; undefined where the provider knows no such thing. */
export type Statuses = Readonly<Partial<Record<Step, number>>>;

export interface RealProvider {
  /** Name and version, such as `Keycloak 26.4.0`. */
  readonly name: string;
  /** The AUTH_* settings that sign-in works with. */
  readonly settings: Readonly<Record<string, string>>;
  /** What to add for the gate; undefined where the tokens cannot pass one. */
  readonly gate: Readonly<Record<string, string>> | undefined;
  /** What is promised of it, without the gate and with it. */
  readonly expected: { readonly open: Statuses; readonly gated?: Statuses };
  /**
   * A token of that kind that is at its end: already expired, its user already
   * deleted. `use` is called with every token while it is still good, where it ever was.
   */
  token(step: Step, use: (token: string) => Promise<void>): Promise<string | undefined>;
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a provider; `cache` keeps what is fetched, `folder` is its own and is removed afterwards. */
export type OpenProvider = (cache: string, folder: string) => Promise<RealProvider>;
