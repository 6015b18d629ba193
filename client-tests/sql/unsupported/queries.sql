create table setup_rows (a integer, b text);
select * from generate_series(timestamp '-infinity', timestamp '2020-01-01', interval '1 day');
-- A row that would be computed once for each of its columns.
select row(random()::integer, 'x')::setup_rows in (row(1, 'x')::setup_rows);
-- What is copied must not be volatile.
select a, (select count(*) from (select r.a from (select a, b, random() as c from setup_rows) as r where r.b = setup_rows.b group by rollup (r.a, r.c)) as q) from setup_rows;
-- A side that has rows of outer joins, or reads queries around it.
select * from (setup_rows as r left join setup_rows as q on r.a = q.a) full join setup_rows as s on r.a = s.a and exists (select from setup_rows as t where t.a = r.a and t.b = s.b);
select * from setup_rows as q, lateral (select * from (select * from setup_rows as v where v.a = q.a) as r full join setup_rows as s on r.a = s.a and exists (select from setup_rows as t where t.a = r.a and t.b = s.b)) as u;
with recursive w as (select 1 as x union all select x + 1 from (select x, random() as y from w) as v where x < 5 and (select count(*) from setup_rows as r where r.a > v.x + v.y) < 1) select count(*) from w;
-- What may not be computed, or more often than there are rows.
select percentile_cont((select 0.5)) within group (order by a) from setup_rows;
