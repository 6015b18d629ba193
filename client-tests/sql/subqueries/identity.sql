-- Correlated subqueries that compute with values of which equal ones may look different.
create type identity_pair as (n numeric, t text);
create table identity_rows (id integer primary key, num numeric, flt double precision, flt4 real, chr char(4), span interval, nums numeric[], flts double precision[], pair identity_pair, doc jsonb, docs jsonb[]);
insert into identity_rows values
  (1, 1.5, 0, 0, 'ab', '1 month', '{1.5,2}', '{0}', row(1.5, 'a'), '1.5', array['1.5'::jsonb]),
  (2, 1.500, '-0', '-0', 'ab', '30 days', '{1.50,2.00}', '{-0}', row(1.50, 'a'), '1.50', array['1.50'::jsonb]),
  (3, 1.50, 0, 1.25, 'ab  ', '720 hours', '{1.5,2.00}', '{0,1}', row(1.500, 'a'), '1.5', array['1.5'::jsonb]),
  (4, null, null, null, null, null, null, null, null, null, null),
  (5, 'NaN', 'NaN', 'Infinity', '', '-1 day', '{}', '{NaN}', row(null, null), 'null', '{}');
create table identity_others (k integer, v numeric);
insert into identity_others values (1, 10), (2, 20), (2, null), (7, 70);
-- Over groups that may be empty, whose values are asked for.
select id, (select sum(v) || '/' || r.num from identity_others where k >= r.id) from identity_rows as r order by id;
select id, (select string_agg(v || '/' || r.flt, ',' order by v) from identity_others where k >= r.id) from identity_rows as r order by id;
select id, (select string_agg(v || '/' || r.flt4, ',' order by v) from identity_others where k >= r.id) from identity_rows as r order by id;
select id, (select count(*) || '/' || r.chr || '.' from identity_others where k > r.id) from identity_rows as r order by id;
select id, (select string_agg(r.span::text, ',') from identity_others where k > r.id) from identity_rows as r order by id;
select id, (select string_agg(r.nums::text, ',') from identity_others where k > r.id) from identity_rows as r order by id;
select id, (select string_agg(r.flts::text, ',') from identity_others where k > r.id) from identity_rows as r order by id;
select id, (select string_agg((r.pair).n || '', ',') from identity_others where k > r.id) from identity_rows as r order by id;
select id, (select string_agg(r.pair::text, ',') from identity_others where k > r.id) from identity_rows as r order by id;
select id, (select string_agg(r.doc || '', ',') from identity_others where k > r.id) from identity_rows as r order by id;
select id, (select string_agg(r.docs::text, ',') from identity_others where k > r.id) from identity_rows as r order by id;
-- Rows of their elements.
select id, x from identity_rows left join lateral unnest(nums) as x on true order by id, x::text;
select id, x, n from identity_rows left join lateral unnest(nums) with ordinality as u(x, n) on true order by id, n;
select id, x from identity_rows left join lateral unnest(flts) as x on true order by id, x::text;
select id, x from identity_rows left join lateral unnest(docs) as x on true order by id, x::text;
select id, x from identity_rows left join lateral (select num * 2 as x from identity_others where k > id limit 1) as u on true order by id;
select id, x from identity_rows left join lateral (values (num), (-num)) as u(x) on true order by id, x::text;
select id, x, y from identity_rows left join lateral (select (pair).n, (pair).t) as u(x, y) on true order by id;
select id, x from identity_rows left join lateral (select chr || '.' union all select chr || '!') as u(x) on x <> '' order by id, x;
select id, x from identity_rows left join lateral (select span union select span * 2) as u(x) on true order by id, x::text;
-- Compared alone.
select id, (select count(*) from identity_others where v * 0.15 > r.num) from identity_rows as r order by id;
select id, (select count(*) from identity_others where v > r.flt) from identity_rows as r order by id;
select id, exists (select from identity_others as o where o.v::text > r.chr and o.k > r.id) from identity_rows as r order by id;
