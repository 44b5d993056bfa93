// Pages of the audit log, with the same statements in every SQLite database. Events are only added, and their
// ids are consecutive, so a page and the total come from the ids, at a cost that does not depend on the
// length of the log. If an operator prunes the log by SQL, a page may be short, but no event is on two pages.

export const TOTAL_EVENTS = `
  select coalesce(
    (select max(id) from audit_events) - (select min(id) from audit_events) + 1, 0) as total`;

/** Newest first. `?1`: rows on the page; `?2`: newer rows to skip. */
export const LIST_EVENTS = `
  select json_set(event, '$.id', id) as event
    from audit_events
   where id <= (select max(id) from audit_events) - ?2
     and id > (select max(id) from audit_events) - ?2 - ?1
   order by id desc`;
