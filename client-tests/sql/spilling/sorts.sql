-- Sorts of more rows than 64 kB hold; test_spill.py runs the files of this folder with a tiny work_mem as well.
create table wide (id int, k int, n numeric, big numeric, t text, f float8, d date, b bytea);
insert into wide select i, case when i % 11 = 0 then null else (i * 7919) % 1009 end, (i % 977) * 1.25, (i * 1000003.5) * 1e30,
  case when i % 13 = 0 then null else repeat(md5(i::text), i % 4) end, (i % 321) / 8.0, date '2020-01-01' + i % 700, decode(md5((i * 3)::text), 'hex')
  from generate_series(1, 12000) i;
select id, k, t from wide order by k, id;
select id, t from wide order by t desc nulls last, id;
select id, n, big from wide order by big desc limit 20;
select id, n, big, b from wide order by n, id offset 11900;
select id, k from wide order by k desc nulls first, id limit 3000 offset 5000;
select id from wide order by t, id limit 7000;
select count(*), sum(id) from (select id from wide order by k, t, id limit 11000) s;
select id, k from wide order by k nulls first, id limit null offset 11990;
select * from (select id, t || 'x' as u from wide order by t, id) s where u like 'c4%' order by 1;
select s.t, w.k from (select t, id from wide order by t, id limit 4000) s join wide w using (id) order by s.t, w.k limit 50 offset 2000;
select b, d, f from wide order by b limit 30;
select distinct on (k) k, id, t from wide order by k, n desc, id;
select id, lag(t) over (order by t, id), rank() over (partition by k order by n) from wide order by id limit 200;
