// The base types of records and bodies, which the generated types of `npm run types` use.

export interface RecordBase {
  /** The collection's prefix and a number, given by the service */
  readonly id: string;
  /** The account that the record belongs to */
  readonly owner_sub: string;
}

/** The body that creates a record. Any other property is kept unchanged. The service sets `id` and `owner_sub`. */
export type NewRecord<Row, Required extends keyof Row = never> = Pick<Row, Required> & {
  [Name in keyof Row as Exclude<Name, Required | keyof RecordBase | 'ownerSub'>]?:
    | Row[Name]
    | undefined;
};
