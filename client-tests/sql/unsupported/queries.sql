create table setup_rows (a integer, b text);
select a from setup_rows where (a, 1) < (random(), 2);
select * from generate_series(timestamp '-infinity', timestamp '2020-01-01', interval '1 day');
select a, (select count(*) from (select r.a from setup_rows as r where r.b = setup_rows.b group by rollup (r.a)) as q) from setup_rows;
select row_number() over () in (select 1) from setup_rows;
select count(*) over (order by a range '1 hour' preceding) from (select time '10:00' as a) as q;
select percentile_cont(a) within group (order by a) from setup_rows group by a;
select rank(a) within group (order by a) from setup_rows group by a;
-- A row that would be computed once for each of its columns.
select row(random()::integer, 'x')::setup_rows in (row(1, 'x')::setup_rows);
