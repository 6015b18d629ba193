-- Values of subqueries that are known before an index is looked into, as keys of it.
create table big (id integer primary key, small smallint, wide bigint, n numeric(12,2), t text, c char(8), d date, v integer);
insert into big select g, g % 3000, g * 10, g / 4.0, 'text ' || g, 'c' || g % 100, date '2020-01-01' + g, g % 7 from generate_series(1, 5000) g;
create index big_wide on big (wide);
create index big_n on big (n, id);
create index big_t on big (t);
create index big_c on big (c, id);
create index big_d on big (d);
create index big_upper on big (upper(t), v);
create index big_some on big (v, id) where v > 3;
create table few (k integer, w bigint, n numeric(12,2), t text, c char(8), d date);
insert into few values (7, 70, 1.75, 'text 7', 'c7', '2020-01-08'), (4999, 49990, 1249.75, 'text 4999', 'c99', '2033-09-08'), (null, null, null, null, null, null);
create table none (k integer, t text);
analyze big;
analyze few;
select id, v from big where id = (select max(k) from few);
select id, v from big where (select min(k) from few) = id;
select id from big where id = (select max(k) from none);
select id from big where id = (select count(*) from few);
select id from big where id = (select max(w) from few);
select id from big where id = (select max(w) * 1000000000 from few);
select id from big where wide = (select max(k) * 10 from few);
select id from big where wide = (select min(w) from few) and v = (select min(k) from few) % 7;
select id from big where n = (select min(n) from few);
select id from big where n = (select max(n) from few) and id = (select max(k) from few);
select id from big where t = (select min(t) from few);
select id from big where t = (select max(t) from few where k > 9000);
select id from big where t = (select max(c) from few);
select count(*), min(id) from big where c = (select min(c) from few);
select id from big where c = (select max(c) from few) and id = (select max(k) from few);
select id from big where d = (select max(d) from few);
select id from big where upper(t) = (select max(upper(t)) from few);
select id from big where upper(t) = (select max(upper(t)) from few) and v = (select max(k) % 7 from few);
select count(*) from big where v = (select max(k) from few where k < 10) - 3 and v > 3 and id < 100;
select id from big where id = (select max(k) from few) and v > (select count(*) from none);
select id from big where id = (select max(k) from few) and v > (select max(k) from few);
select id from big where id between (select min(k) from few) and 9 and v = (select count(*) from none) order by id;
select b.id, f.t from big b join few f on f.k = b.id where b.id = (select min(k) from few);
select b.id, f.k from big b left join few f on f.k = b.id + 1 where b.id = (select max(k) from few) - 1;
select b.id, o.id from big b, big o where b.id = (select min(k) from few) and o.id = b.id * 2;
select b.id, o.id from big b, big o where b.id = (select min(k) from few) and o.id = (select max(k) from few);
select id, (select t from big x where x.id = (select min(k) from few)) from big where id = (select max(k) from few);
select k from few where exists (select from big where id = (select max(k) from few) and v = few.k % 7) order by k;
select k from few where k not in (select id from big where id = (select max(k) from few)) order by k;
with x as (select max(k) as m from few) select id from big where id = (select m from x) or id = 5 order by id;
with x as (select max(k) as m from few) select id from big, x where id = m;
select id from big, (select max(k) as m, min(w) as l from few) x where id = m;
select id, l, s from big, (select max(k) as m, min(w) as l, string_agg(t, ', ' order by k) || repeat('-', 20) as s from few) x where id = m;
select id, m from big left join (select max(k) as m from few) x on id = m where id in (7, 4999) order by id;
select id, m from (select max(k) as m from few) x left join big on id = m + 1;
with recursive r as (select 1 as n, 7 as id union all select n + 1, (select max(id) from big where id = (select min(k) from few) + r.n) from r where n < 4) select * from r order by n;
with recursive r as (select 1 as n union all select n + 1 from r, big where n < 4 and big.id = (select max(k) from few)) select * from r order by n;
select max(id), sum(v) from big where id = (select max(k) from few) group by v having count(*) = (select count(*) from few where k = 7);
select id from big where id = (select max(k) from few) for update;
-- message
select id from big where id = (select 1 / count(*) from none);
-- message
select id from big where id = (select sum(k)::integer / (max(k) - max(k)) from few);
prepare by_min(integer) as select id, v from big where id = (select min(k) from few where k > $1) and v = $1 % 7;
execute by_min(0);
execute by_min(7);
execute by_min(5000);
execute by_min(null);
execute by_min(0);
-- Changes.
update big set v = v + 100 where id = (select max(k) from few) returning id, v;
update big set v = v + (select count(*) from few), t = t || (select max(t) from few) where id = (select min(k) from few) returning id, v, t;
update big set id = -(select max(k) from few) where id = (select max(k) from few) returning id;
delete from big where id = (select min(id) from big) returning id;
delete from big where id = (select min(id) from big) returning id;
delete from big where id = (select min(id) from big where id > 0) returning id;
delete from big where id = (select max(k) from none) returning id;
delete from big where wide = (select max(wide) from big where id < 100) and v = (select min(v) from big where id = 99) returning id;
select count(*), min(id), max(id) from big;
insert into few select id, wide, n, t, c, d from big where id = (select max(id) from big) returning k, w;
create function oldest() returns integer language plpgsql as $$
declare
  taken integer;
  total integer := 0;
begin
  for turn in 1 .. 40 loop
    delete from big where id = (select min(id) from big where id > 1000) returning id into taken;
    total := total + taken;
  end loop;
  return total;
end
$$;
select oldest();
select oldest(), (select min(id) from big where id > 1000);
-- Limits of ranges of an index, whose first rows may be gone.
select id from big where id > 900 order by id limit 1;
select id from big where id > 1000 order by id limit 3;
select id, v from big where id > 1000 and v = 3 order by id limit 2;
select id from big where id < 3000 order by id desc limit 20;
select t from (select id, t || '!' as t from big where id > 1000 order by id limit 2) x order by id;
begin;
delete from big where id between 1081 and 1300;
select id from big where id > 1000 order by id limit 1;
select min(id) from big where id > 1000;
rollback;
select min(id) from big where id > 1000;
drop function oldest();
drop table big, few, none;
