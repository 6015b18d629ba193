create table facts (id int, k int, s text, n numeric, big numeric, f float8, d date, flag bool);
insert into facts select i, case when i % 17 = 0 then null else (i * 7919) % 6007 end, case when i % 19 = 0 then null else md5((i % 5003)::text) || 'tail' end,
  (i % 977) * 1.25, (i * 1000003.5) * 1e30, (i % 64) / 8.0, date '2020-01-01' + i % 700, i % 3 = 0
  from generate_series(1, 15000) i;
select k, count(*), sum(id), min(s), max(s), sum(n), sum(big), avg(big), avg(n) from facts group by k order by k;
select s, count(*), count(k), min(d), max(f), sum(f), bool_and(flag), bool_or(flag), bit_xor(id) from facts group by s order by s;
select s, k, count(*) from facts group by s, k order by s, k limit 500 offset 3000;
select distinct s from facts order by s;
select distinct k, d from facts order by k, d offset 9000;
select count(distinct s), count(distinct k), count(distinct id), count(*) from facts;
select k % 7, count(distinct s), count(distinct id), sum(distinct n) from facts group by k % 7 order by 1;
select count(*) from (select id, s, n, big from facts group by id, s, n, big) g;
select variance(n), count(*) from (select k, n from facts group by k, n) g;
select k, variance(id), stddev(n), var_pop(big) from facts group by k order by k limit 300;
select max(c), min(c), sum(c) from (select id, count(*) as c from facts group by id) g;
select k, string_agg(s, ',' order by id), array_agg(id order by id) from facts group by k order by k limit 200;
select s from facts where id < 9000 union select s || '!' from facts where id > 3000 order by 1 limit 400 offset 5000;
select s, d from facts intersect select s, d from facts where id % 2 = 0 order by 1, 2 limit 100;
select s, d from facts except select s, d from facts where id % 2 = 0 order by 1, 2 limit 100;
select s, d from facts except all select s, d from facts where id % 2 = 0 order by 1, 2 limit 100;
select k, d, grouping(k, d), count(*), sum(id) from facts where id % 3 = 0 group by grouping sets ((k), (d), (k, d), ()) order by 3, 1, 2 limit 400 offset 4000;
select g.k, g.c, f.id from (select k, count(*) as c, max(s) as m from facts group by k) g join facts f on f.id = g.k and f.s = g.m order by 1, 2, 3 limit 50;
select k, 1 / (count(*) - 3) from facts group by k order by k;
