// The types that both clients export.

export type * from '../../core/domain/api-schema.js';
export type * from './api-error.js';
export type {
  AnyProperties,
  Changes,
  CollectionName,
  CollectionsOf,
  Deletion,
  NewOf,
  OwnProperties,
  RecordCalls,
  RecordIn,
} from './collection.js';
export type { AnswerFacts, CallOptions, ConnectionOptions } from './connection.js';
export type { FieldProblem, FieldProblems, FieldReason } from './field-problems.js';
export type { Page, PageQuery, RowCalls } from './pages.js';
