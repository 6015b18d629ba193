-- DISTINCT ON and FETCH FIRST ... WITH TIES.
create table w (id integer primary key, g integer, x integer, t text);
insert into w values (1, 1, 10, 'a'), (2, 1, 20, 'b'), (3, 1, 20, 'c'), (4, 2, 5, 'd'), (5, 2, null, null), (6, 2, 7, 'e'), (7, null, 8, 'f'), (8, null, 9, 'g'), (9, 3, 1, 'z');
select distinct on (g) g, x, id from w order by g, x desc, id;
select distinct on (g) id from w order by g, x, id desc;
select distinct on (g) g, x from w order by g desc, x nulls first, id;
select distinct on (g, x) g, x, id from w order by x, g, id;
select distinct on (x, g) g, x, id from w order by g, x, id;
select distinct on (1) g, id from w order by 1, 2 desc;
select distinct on (h) g as h, id from w order by h, id;
select distinct on (g + 1) g, id from w order by g + 1, id;
select distinct on (g % 2) id from w order by g % 2, id;
select distinct on (g) count(*), g from w group by g, x order by g, count(*) desc, x;
select distinct on (g) g, rank() over (order by x, id) from w order by g, rank() over (order by x, id);
select * from (select distinct on (g) g, x, id from w order by g, id) as s where x > 5 order by g;
select * from (select distinct on (g) g, x, id from w order by g, id) as s where g = 1;
select distinct on (g) g, id from w order by g, id limit 2;
select distinct on (g) g, id from w order by g, id offset 1 limit 2;
select distinct on (g) g, x from w where false order by g;
select distinct on (g) g from w order by g;
select count(*) from (select distinct on (a % 100) a from generate_series(1, 10000) as s (a)) as q;
select distinct on (a % 10) a from generate_series(1, 10000) as s (a) order by a % 10, a desc;
select id, (select count(*) from (select distinct on (x) x from w as v where v.g = w.g order by x) as s) from w order by id;
-- message position
select distinct on (g) g, x from w order by x, g;
-- message position
select distinct on (g, x) g, x from w order by g, id, x;
-- message position
select distinct on (g) g, x from w order by id;
-- message position
select distinct on (5) g, x from w;
-- message position
select distinct on (no_such) g, x from w;
-- message
select distinct on (g) g from w for update;
select id, x from w order by x fetch first 1 row with ties;
select id, x from w order by x desc nulls last fetch first 1 row with ties;
select id, x from w order by x desc nulls last fetch first 2 rows with ties;
select g from w order by g fetch first 2 rows with ties;
select g from w order by g offset 1 fetch first 1 row with ties;
select g from w order by g offset 2 fetch first 2 rows with ties;
select g from w order by g nulls first fetch first 100 rows with ties;
select g from w order by g fetch first 0 rows with ties;
select g, count(*) from w group by g order by count(*) desc fetch first row with ties;
select * from (select id, g from w order by g fetch first 1 row with ties) as s order by id desc;
select id from w where g = 1 union select id from w where x = 5 order by 1 fetch first 2 rows with ties;
-- message
select id from w fetch first 2 rows with ties;
select count(*) from (select a % 10 from generate_series(1, 1000) as s (a) order by a % 10 fetch first 101 rows with ties) as q;
