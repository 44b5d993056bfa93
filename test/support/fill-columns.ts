// Gives rows that a test wrote with SQL alone their owners and statuses.

export const FILL_COLUMNS = `
  update records
     set owner = case json_type(body, '$.owner_sub')
           when 'text' then nullif(body ->> '$.owner_sub', '') end,
         status = case
           when json_type(body, '$.status') = 'text' then body ->> '$.status'
           when json_type(body, '$.status') is not null then 0 end
   where json_valid(body)
     and coalesce(body -> '$.owner_sub', '') || coalesce(body -> '$.status', '') not like '%\\ud%'`;
