// What the records of every collection have, and the type of a record from that of its body.

/** The properties of every stored record. */
export interface Stored {
  readonly id: string;
  /** The account that the record belongs to. */
  readonly owner_sub: string;
}

/** A record that was created from such a body. `Set`: the properties that the service sets where the body does not. */
export type RecordOf<Body, Set extends keyof Body = never> = Stored & {
  [Name in keyof Body as Name extends Set ? never : Name]: Exclude<Body[Name], undefined>;
} & { [Name in Set]-?: Exclude<Body[Name], undefined> };
