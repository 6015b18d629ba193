-- TABLESAMPLE: which rows is open, so what is asked holds of any sample.
create table big (a integer, b text);
insert into big select i, 'r' || i from generate_series(1, 20000) as g (i);
create table empty (a integer);
select count(*) from big tablesample bernoulli (0);
select count(*) from big tablesample bernoulli (100);
select count(*) from big tablesample system (0);
select count(*) from big tablesample system (100);
select count(*) between 1500 and 2500 from big tablesample bernoulli (10);
select count(*) between 9300 and 10700 from big tablesample bernoulli (50) repeatable (7);
select count(*) between 2000 and 18000 from big tablesample system (50) repeatable (3);
select (select array_agg(a order by a) from big tablesample bernoulli (30) repeatable (1)) = (select array_agg(a order by a) from big tablesample bernoulli (30) repeatable (1));
select (select array_agg(a order by a) from big tablesample system (30) repeatable (1)) = (select array_agg(a order by a) from big tablesample system (30) repeatable (1));
select (select array_agg(a order by a) from big tablesample bernoulli (30) repeatable (1)) = (select array_agg(a order by a) from big tablesample bernoulli (30) repeatable (2));
select (select array_agg(a order by a) from big tablesample bernoulli (10) repeatable (5)) <@ (select array_agg(a order by a) from big tablesample bernoulli (60) repeatable (5));
select count(*) from empty tablesample bernoulli (50);
select count(*) from big as s tablesample bernoulli (100) where s.a <= 10;
select s.a from big as s tablesample bernoulli (100) repeatable (1) where s.a <= 3 order by s.a;
select count(*) from big as s tablesample system (100) join big as t tablesample bernoulli (100) using (a);
select count(*) from big tablesample bernoulli (50 + 50);
select count(*) from big tablesample bernoulli ((select 100));
select count(*) from big tablesample bernoulli ('100');
select bool_and(a between 1 and 20000) from big tablesample bernoulli (5);
select count(*) between 1 and 3000 from big tablesample bernoulli (5) where b like 'r%';
-- message
select count(*) from big tablesample bernoulli (-1);
-- message
select count(*) from big tablesample bernoulli (101);
-- message
select count(*) from big tablesample system ('NaN');
-- message
select count(*) from big tablesample system (null);
-- message
select count(*) from big tablesample system (50) repeatable (null);
-- position message
select count(*) from big tablesample nothing (50);
-- message
select count(*) from big tablesample system (50, 2);
-- message
select count(*) from big tablesample bernoulli (true);
-- message
select count(*) from big tablesample bernoulli ('x');
-- message
select count(*) from big tablesample bernoulli (50) repeatable (true);
create view seen as select * from big;
-- position message
select count(*) from seen tablesample bernoulli (50);
-- position message
with big as (select 1) select count(*) from big tablesample bernoulli (50);
create view sampled as select * from big tablesample bernoulli (100);
select count(*) from sampled;
create table cut (k integer, v text) partition by hash (k);
create table cut_a partition of cut for values with (modulus 2, remainder 0);
create table cut_b partition of cut for values with (modulus 2, remainder 1);
insert into cut select i, 'v' from generate_series(1, 2000) as g (i);
select count(*) from cut tablesample system (100);
select count(*) between 700 and 1300 from cut tablesample bernoulli (50);
select count(*) from cut tablesample bernoulli (0);
prepare part (real, double precision) as select count(*) between 1 and 19999 from big tablesample bernoulli ($1) repeatable ($2);
execute part (50, 1);
execute part (100, 1);
execute part (200, 1);
select * from (values (100), (0)) as p (x), lateral (select count(*) from big tablesample bernoulli (p.x)) as c order by 1;
