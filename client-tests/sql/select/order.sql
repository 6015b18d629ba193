-- file: position message
create table ordering (id integer, a integer, b text, c numeric(6,2), d date, f double precision, g boolean);
insert into ordering values (1, 3, 'c', 1.5, '2020-03-01', 1.5, true), (2, 1, 'a', 2.5, '2020-01-01', 'NaN', false), (3, 2, 'B', -1, '2020-02-01', '-Infinity', null), (4, null, null, null, null, null, true), (5, 1, 'ab', 0, '1999-01-01', 'Infinity', false), (6, 1, '', 100, '2020-01-01', 0, null), (7, null, 'ä', 1.50, null, -0.5, false);
select id from ordering order by a, id;
select id from ordering order by a desc, id;
select id from ordering order by a asc nulls first, id;
select id from ordering order by a desc nulls last, id desc;
select id from ordering order by b, id;
select id from ordering order by b desc nulls last, id;
select id from ordering order by c, id;
select id from ordering order by d desc, id;
select id from ordering order by f, id;
select id from ordering order by f desc nulls last, id;
select id from ordering order by g, id;
select id from ordering order by g desc nulls first, a, id;
select id, a, b from ordering order by 2, 3 desc, 1;
select id as key, a + 1 as next from ordering order by next desc, key;
select id from ordering order by a + id, id;
select id from ordering order by a * -1 nulls first, id;
select id from ordering order by length(b), b, id;
select id from ordering order by case when a = 1 then 0 else 1 end, id;
select id from ordering order by a is null, a, id;
select a, count(*) from ordering group by a order by count(*) desc, a;
select a, count(*) as n from ordering group by a order by n, a nulls first;
select a, sum(c) from ordering group by a order by sum(c) nulls first, a;
select distinct a from ordering order by a desc;
select distinct a, g from ordering order by g, a;
select distinct a from ordering order by b;
select id from ordering order by a, id limit 3;
select id from ordering order by a desc, id limit 3 offset 2;
select id from ordering order by c desc nulls last, id limit 1;
select id from ordering order by id limit 100;
select a from ordering order by 5;
select a from ordering order by 0;
select a from ordering order by -1;
select id from ordering order by 'a', id;
select a from ordering order by nosuch;
select a from ordering order by 1.5;
select id as a, a as b from ordering order by a;
select id as a, a as a from ordering order by a;
select id from ordering order by ordering.a, ordering.id;
-- multiset
select id from ordering order by true;
-- USING an operator.
create table used (a integer, b text, c json);
insert into used values (2, 'x', '1'), (1, 'y', '2'), (null, 'z', '3'), (3, null, null);
select a from used order by a using >;
select a from used order by a using <;
select a from used order by a using > nulls last, b using <;
select a from used order by a using < nulls first;
select b from used order by b using operator(pg_catalog.>);
select a from used order by 1 using >;
select a + 1 as x from used order by x using >;
-- position message
select a from used order by a using =;
-- position message
select a from used order by a using <=;
-- position message
select a from used order by a using +;
-- position message
select b from used order by b using +;
-- position message
select a from used order by c using <;
-- position message
select a from used order by a using <<<;
select array_agg(a order by a using >) from used;
select string_agg(b, ',' order by b using > nulls last) from used;
select a, row_number() over (order by a using >) from used order by a using >;
select a, rank() over (order by a using =) from used;
select distinct on (b) b, a from used order by b using >, a using >;
select a from used union select 5 order by a using >;
select a from used order by a using > limit 2;
select percentile_disc(0.5) within group (order by a using >) from used;
