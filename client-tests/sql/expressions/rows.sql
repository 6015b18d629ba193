-- Comparisons of rows, column by column.
select (1, 2) = (1, 2), (1, 2) = (1, 3), (1, 2) <> (1, 2), (1, 2) <> (1, 3), row(1, 2) = (1, 2), row(1) = row(1), row(1) <> row(2), (1, 2) != (1, 3);
select (1, 2) < (1, 3), (1, 2) < (1, 2), (1, 2) <= (1, 2), (2, 1) > (1, 9), (1, 9) > (2, 1), (1, 2) >= (1, 2), (1, 2) >= (1, 3);
select (1, 2, 3) < (1, 2, 4), (1, 2, 4) < (1, 2, 3), (1, 3, 1) < (1, 2, 9), (0, 9, 9) < (1, 0, 0), (1, 2, 3) <= (1, 2, 3), (1, 2, 3) > (1, 2, 2);
select (1, null) = (1, 2), (1, null) = (2, 2), (1, null) <> (1, 2), (1, null) <> (2, 2), (null, null) = (null, null), (null, 1) = (null, 2);
select (1, null) < (2, 1), (1, null) < (1, 2), (null, 1) < (1, 2), (2, null) < (1, 2), (1, null) > (0, null), (1, null) >= (1, null), (1, 2, null) < (1, 3, 0);
select (null, 1) > (1, 0), (2, null) > (1, null), (1, null) <= (1, 5), (0, null) <= (1, null), (1, 1, null) >= (1, 0, 7);
select (1, 'a') < (1, 'b'), ('a', 1) < ('b', 0), ('b', 1) <= ('a', 2), ('a'::text, 'b') = ('a', 'b'::varchar), ('x'::char(3), 1) = ('x'::char(5), 1);
select (1, 1.5) = (1::bigint, 1.50), (1.5, 2) < (1.50, 2.1::float8), (1::smallint, 2) < (1::bigint, 3::numeric), (1, 2.0) >= (1.0, 2);
select (date '2020-01-01', 1) < (timestamp '2020-01-01 00:00:01', 0), (timestamp '2020-01-01', 1) <= (date '2020-01-01', 1), (interval '1 day', 2) = (interval '24 hours', 2);
select (true, false) > (false, true), (true, null) = (false, null), ('\x01'::bytea, 1) < ('\x02'::bytea, 0);
select ('1', 2) = (1, '2'), ('1', '2') < (1, 3), (null, 2) = (1, '2'), ('2020-01-01', 1) < (date '2020-01-02', 1);
select ('NaN'::float8, 1) > ('Infinity'::float8, 2), ('NaN'::float8, 1) = ('NaN'::float8, 1), ('NaN'::numeric, 1) >= ('NaN'::numeric, 1);
-- One column.
select row(1) < row(2), row(null) = row(1), row('a') >= row('b'), row(1) is null, row(null) is null, row(1.0) = row(1);
-- IS NULL: every column is; IS NOT NULL: no column is.
select (1, 2) is null, (1, null) is null, (null, null) is null, (1, 2) is not null, (1, null) is not null, (null, null) is not null;
select not (1, null) is null, not ((1, null) is not null), row() is null, row() is not null, row(null) is not null, row('a', 1) is not null;
-- IS DISTINCT FROM.
select (1, 2) is distinct from (1, 2), (1, 2) is distinct from (1, 3), (1, null) is distinct from (1, null), (1, null) is distinct from (1, 2), (null, null) is distinct from (null, 1);
select (1, 2) is not distinct from (1, 2), (1, 2) is not distinct from (1, 3), (1, null) is not distinct from (1, null), (null, 1) is not distinct from (2, 1);
select row(1) is distinct from row(null), row(null) is not distinct from row(null), row('a', 1.0) is distinct from ('a', 1);
-- IN.
select (1, 2) in ((1, 2)), (1, 2) in ((1, 3), (1, 2)), (1, 2) in ((2, 1), (3, 4)), (1, 2) not in ((1, 3), (1, 2)), (1, 2) not in ((2, 1), (3, 4));
select (1, null) in ((1, 2), (3, 4)), (1, null) in ((2, 2), (3, 4)), (1, null) not in ((1, 2)), (1, null) not in ((2, 2)), (1, 2) in ((1, null), (1, 2)), (1, 2) not in ((1, null)), (1, 2) not in ((2, null));
select ('a', 1) in (('a', 1), ('b', 2)), ('1', 2) in ((1, 2)), (1, 'x') in ((1.0, 'y'), (1, 'x')), row(1) in (row(2), row(1)), (1, 2) in (row(1, 2), (3, 4));
-- BETWEEN.
select (1, 5) between (1, 4) and (1, 6), (1, 5) between (1, 6) and (2, 0), (1, 5) between (0, 9) and (2, 0), (1, 5) not between (1, 4) and (1, 6), (1, 5) not between (2, 0) and (3, 0);
select (1, 5) between symmetric (1, 6) and (1, 4), (1, 5) not between symmetric (1, 6) and (1, 4), (1, null) between (0, 0) and (2, 0), (1, null) between (1, 0) and (2, 0), (1, null) not between (2, 0) and (3, 0);
-- Over stored rows.
create table rows_of (a integer, b integer, c text);
insert into rows_of values (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c'), (2, null, 'd'), (null, 1, 'e'), (null, null, 'f'), (3, 3, null), (-1, 2147483647, 'g'), (2, 2, '');
select a, b from rows_of where (a, b) = (1, 2);
select a, b from rows_of where (a, b) <> (1, 2) order by a, b;
select a, b from rows_of where (a, b) < (2, 1) order by a, b;
select a, b from rows_of where (a, b) <= (2, 1) order by a, b;
select a, b from rows_of where (a, b) > (1, 1) order by a, b;
select a, b from rows_of where (a, b) >= (1, 2) order by a, b;
select a, b from rows_of where not (a, b) < (2, 1) order by a, b;
select a, b from rows_of where (a, b) in ((1, 1), (2, 1), (3, 4), (null, 1)) order by a, b;
select a, b from rows_of where (a, b) not in ((1, 1), (2, 1)) order by a, b;
select a, b from rows_of where (a, b) is null or (a, b, c) is not null order by a, b;
select c from rows_of where (a, b) is distinct from (2, null) order by c;
select c from rows_of where (a, b) is not distinct from (null, 1) or (a, b) is not distinct from (b, a) order by c;
select a, b, (a, b) < (b, a), (a, c) < (b, 'c'), (a, b) = (b, a), (c, a) > ('b', 1) from rows_of order by a, b;
select a, b from rows_of where (a, b) between (1, 2) and (2, 1) order by a, b;
select a, b from rows_of where (a + 1, b * 1.0) > (2, 1.5) order by a, b;
select l.c, r.c from rows_of l join rows_of r on (l.a, l.b) = (r.b, r.a) order by 1, 2;
select l.c, r.c from rows_of l join rows_of r on (l.a, l.b) < (r.a, r.b) order by 1, 2;
select l.c, r.c from rows_of l left join rows_of r on (l.a, l.b) = (r.a, r.b) order by 1, 2;
select l.c, r.c from rows_of l left join rows_of r on (l.a, l.b) > (r.a, r.b) and (r.a, r.b) >= (1, 2) order by 1, 2;
select count(*) filter (where (a, b) >= (2, 0)), sum(a) filter (where (a, b) is not null), bool_or((a, b) = (3, 3)) from rows_of;
select case when (a, b) < (2, 0) then 'low' when (a, b) is null then 'none' else 'high' end as k, count(*) from rows_of group by 1 order by 1;
select a, count(*) from rows_of group by a having (a, count(*)) > (1, 2) order by a;
select a, b from rows_of order by (a, b) < (2, 0), a, b;
select c from rows_of where ((a, b) = (1, 1)) or ((a, b) = (2, 1)) order by c;
-- A division that is never reached.
select a, b from rows_of where (a, 10 / a) > (2, 1) order by a, b;
select (1, 1 / a) < (2, 0) from rows_of where a = 1;
-- An index with the same columns.
create table keyed (a integer, b integer, primary key (a, b));
insert into keyed select x.a * 7 % 101, y.b from (values (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)) x (a), (values (1), (2), (3), (4), (5), (6), (7)) y (b);
select * from keyed where (a, b) > (21, 3) order by a, b limit 5;
select * from keyed where (a, b) < (21, 3) order by a desc, b desc limit 5;
select * from keyed where (a, b) in ((7, 1), (14, 2), (15, 1)) order by a, b;
select count(*), min(a), max(b) from keyed where (a, b) between (14, 4) and (49, 2);
update keyed set b = b + 100 where (a, b) = (7, 7);
delete from keyed where (a, b) >= (63, 2);
select count(*), sum(a), sum(b) from keyed;
-- With subqueries.
select a, b from rows_of where (a, b) in (select b, a from rows_of) order by a, b;
select a, b from rows_of where (a, b) not in (select a, b from rows_of where a is not null and b is not null and a > 1) order by a, b;
select a, b from rows_of where (a, b) < any (select a, b from rows_of) order by a, b;
select a, b from rows_of where (a, b) <= all (select a, b from rows_of where a is not null and b is not null) order by a, b;
select a, b from rows_of where (a, b) > all (select a, b from rows_of where a < 1) order by a, b;
select a, b from rows_of where (a, b) >= any (select 2, 1) order by a, b;
select a, b from rows_of where (a, b) = any (select 2, 1) order by a, b;
select a, b from rows_of where (a, b) <> all (select 2, 1) order by a, b;
select a, b from rows_of where not (a, b) > any (select a, b from rows_of where a = 1) order by a, b;
select (1, 2) < any (select 1, null::integer), (1, 2) < all (select 1, null::integer where false), (1, 2) >= any (select 0, null::integer), (1, null) < any (select 2, 0);
select c, (a, b) < any (select 2, 1), (a, b) >= all (select 1, 1) from rows_of order by c;
select c from rows_of o where (a, 1) in (select i.a, i.b from rows_of i where i.c <> o.c) order by c;
select c from rows_of o where (b, c) >= all (select i.b, i.c from rows_of i where i.a = o.a) order by c;
-- CHECK and indexes.
create table ranges (low integer, low_part integer, high integer, high_part integer, check ((low, low_part) <= (high, high_part)));
insert into ranges values (1, 5, 1, 5), (1, 5, 2, 0), (1, null, 2, null), (1, null, 1, null);
insert into ranges values (1, 5, 1, 4);
insert into ranges values (2, 0, 1, 9);
update ranges set high = 0 where high = 2;
create index on ranges (((low, low_part) < (high, high_part)));
select low, (low, low_part) < (high, high_part) from ranges order by 1, 2;
-- Errors.
-- message position
select (1, 2) = (1, 2, 3);
-- message position
select (1, 2) in ((1, 2), (1, 2, 3));
-- message position
select (1, 2, 3) is distinct from (1, 2);
-- message position
select row() = row();
-- message position
select (1, 2) + (3, 4);
-- message position
select (1, 2) = ('a', 2);
-- message position
select (1, 2) < (true, 2);
-- message position
select (a, b) = (1, nothing) from rows_of;
-- message position
select a from rows_of where (a, b) in (select a from rows_of);
-- message position
select a from rows_of where (a, b) < any (select a, b, c from rows_of);
-- message position
select (1, 2) || (3, 4);
