// The operator's views across accounts. `/admin/NAME` is the path of each, and NAME its method in
// `OperatorViews` and in the operator's client.

/** The views that answer one object: the counts; sizes, recent creations and the last change. */
export const OBJECT_VIEWS = ['overview', 'usage'] as const;
/** The views that answer rows: the operator's changes, newest first; the accounts that own a record. */
export const ROW_VIEWS = ['audit', 'accounts'] as const;

export type ObjectView = (typeof OBJECT_VIEWS)[number];
export type RowView = (typeof ROW_VIEWS)[number];
export type ViewName = ObjectView | RowView;
