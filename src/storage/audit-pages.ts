// Pages of the audit log, the same in every database that has one. Events are
// only ever added, and their ids follow one another: a page and the total are
// found by ids, however long the log is. Where somebody has pruned it by hand,
// pages may be short, but no event is in two of them.

export const TOTAL_EVENTS = `
  select coalesce(
    (select max(id) from audit_events) - (select min(id) from audit_events) + 1, 0) as total`;

/** `?1`: how many; `?2`: how many newer ones come before. Newest first. */
export const LIST_EVENTS = `
  select json_set(event, '$.id', id) as event
    from audit_events
   where id <= (select max(id) from audit_events) - ?2
     and id > (select max(id) from audit_events) - ?2 - ?1
   order by id desc`;
