// The types of bodies and records by collection, with the properties that a program adds.

import type { Collections } from './records.js';

export type CollectionName = keyof Collections;

/**
 * The properties that a program adds to records, by collection: the type parameter
 * of `createClient`. `{ orders: { table?: number } }` adds one to orders;
 * `AnyProperties` takes every property of every record.
 */
export type OwnProperties = { readonly [Name in CollectionName]?: object };

export type AnyProperties = { readonly [Name in CollectionName]: Record<string, unknown> };

/** What a program adds to the records of a collection. */
type Added<Own, Name extends CollectionName> = Name extends keyof Own ? Own[Name] : unknown;

/** The body of a create. */
export type NewOf<
  Name extends CollectionName,
  Own extends OwnProperties = object,
> = Collections[Name]['body'] & Added<Own, Name>;

/** A stored record. */
export type RecordIn<
  Name extends CollectionName,
  Own extends OwnProperties = object,
> = Collections[Name]['record'] & Added<Own, Name>;

/** The body of a PATCH: some of the properties of a create. One that is undefined stays as it is. */
export type Changes<Body> = { [Name in keyof Body]?: Body[Name] | undefined };
