-- file: position message
-- NaN in numerics of fixed precision: 2 digits that fit 64 bits, 25 that fit 128, and more.
select 'NaN'::numeric(10,2), 'nan'::numeric(25,4), 'NaN'::numeric(45,3), 'NaN'::float8::numeric(10,2), 'NaN'::real::numeric(30,1), 'NaN'::numeric::numeric(5);
select 'Infinity'::numeric(10,2);
select '-Infinity'::float8::numeric(25,4);
create table n (id integer primary key, a numeric(10,2), b numeric(25,4), c numeric(45,3), d numeric);
insert into n values (1, 1.5, 2.5, 3.5, 4.5), (2, -7, 0, 12, null), (3, null, null, null, null);
select a + b, a * 2, -a, a > 1, sum(a) over (order by id), a::text from n order by id;
prepare sums as select count(*), sum(a), avg(a), min(a), max(a), sum(b), avg(b), max(b), sum(a * b), stddev(a), count(distinct a) from n;
execute sums;
execute sums;
insert into n values (4, 'NaN', 'NaN', 'NaN', 'NaN');
execute sums;
select * from n order by id;
select a + b, a * 2, -a, a > 1, sum(a) over (order by id), a::text, a / 2, a % 2, abs(a), round(a, 1), a::float8, a::real, a + 1.123456789012345678901234567890, power(a, 2), sqrt(abs(a)) from n order by id;
select a::integer from n order by id;
select b::bigint from n where id = 4;
select id from n order by a, id;
select id from n order by a desc nulls last, id;
select id from n where a > 1 order by id;
select id from n where a > 1.12345 order by id;
select id from n where a < 1.12345 order by id;
select id from n where a = 'NaN' order by id;
select id from n where a <> 'NaN' order by id;
select id from n where b >= 'NaN'::numeric order by id;
select id from n where a in (1.5, 'NaN') order by id;
select id from n where a in (1.5, 7, -7, 8, 9, 10, 11, 12, 13, 14, 15) order by id;
select id from n where a not in (1.5, 2) order by id;
select id from n where a between 1 and 'NaN' order by id;
select id from n where a = b order by id;
select id from n where a = c or b = c order by id;
select id from n where a = d order by id;
select a, count(*) from n group by a order by a;
select distinct b from n order by b;
select x.id, y.id from n x join n y on x.a = y.a order by 1, 2;
select x.id, y.id from n x join n y on x.a = y.b order by 1, 2;
select x.id, y.id from n x join n y on x.a = y.d order by 1, 2;
select x.id, y.id from n x join n y on x.b = y.c order by 1, 2;
select coalesce(a, b), coalesce(a, 0), nullif(a, 'NaN'), greatest(a, 3), least(a, 3), greatest(a, b), case when id = 4 then a else 1 end, case when id = 4 then 1.5 else a end from n order by id;
select a from n union select b from n order by 1;
select a from n where id = 4 union all select 1.25 union all select 'NaN' order by 1;
select array_agg(a order by id), array_agg(b order by id), min(a), max(b), string_agg(a::text, ',' order by id), json_agg(a order by id) from n;
select row(a, b), n, to_json(n), to_jsonb(a) from n where id in (1, 4) order by id;
select to_char(a, '999.99'), to_char(b, 'FM990.000'), sign(a), ceil(a), floor(b), trunc(a), scale(a), min_scale(a), width_bucket(a, 0, 10, 5) from n where id = 1;
select to_char(a, '999.99'), sign(a), ceil(a), floor(b), trunc(a), scale(a), min_scale(a), mod(a, 2), div(a, 2) from n where id = 4;
select percentile_cont(0.5) within group (order by a::float8), percentile_disc(0.9) within group (order by a), mode() within group (order by b) from n;
select var_pop(a), variance(b), stddev_samp(a), corr(a, b), regr_slope(a, b) from n;
select id, rank() over (order by a), lag(a) over (order by id), first_value(a) over (order by a desc nulls last, id), last_value(b) over (order by id), avg(a) over (order by id rows 1 preceding) from n order by id;
select id, sum(a) over (order by a range between 1 preceding and 1 following) from n order by id;
select id, count(*) over (order by b range between 2.5 preceding and current row) from n order by id;
update n set a = a + 1 where id <= 4 returning id, a;
update n set a = 'NaN' where id = 2 returning *;
update n set b = a, c = b, d = a where id = 2 returning *;
update n set a = 5 where a = 'NaN' and id = 2 returning a, a + 1;
insert into n select id + 10, b, a, d, c from n returning id, a, b, a * b;
delete from n where a = 'NaN' and id > 10 returning id, a;
select * from n order by id;
-- Indexes.
create index n_a on n (a);
create index n_ab on n ((a * b));
create index n_part on n (id) where a > 2;
create unique index n_sum on n ((a + id));
insert into n values (20, 'NaN', 1, 1, 1);
insert into n values (20, 'NaN', 1, 1, 1);
insert into n values (21, 'NaN', 1, 1, 1);
insert into n values (22, 7.25, 'NaN', 1, 1);
select id, a, b from n where a = 'NaN' order by id;
select id, a, b from n where a > 7 order by id;
select id from n where a * b > 3 order by id;
select id from n where a > 2 and id > 3 order by id;
select id from n where a + id = 29.25 order by id;
drop index n_sum;
insert into n values (20, 1, 1, 1, 1) on conflict (id) do update set a = excluded.a + n.a, b = 'NaN', c = n.c returning *;
insert into n values (20, 3, 1, 1, 1) on conflict (id) do update set a = excluded.a where n.b = 'NaN' returning *;
merge into n using (values (20, 'NaN'::numeric(10,2)), (40, 'NaN')) v (id, x) on n.id = v.id when matched then update set a = v.x when not matched then insert values (v.id, v.x, 0, 0, 0);
select * from n where id >= 20 order by id;
-- Checks, defaults, generated columns, domains.
create table checked (a numeric(6,2) check (a > 0), b numeric(6,2) default 'NaN', g numeric(8,3) generated always as (a * b) stored, check (a + b > 1));
insert into checked (a) values (1);
insert into checked (a, b) values (1, 2), ('NaN', 1), (3, 'NaN');
insert into checked (a, b) values (-1, 'NaN');
insert into checked (a, b) values (0.25, 0.25);
select * from checked order by a, b;
alter table checked add constraint small check (a < 100);
alter table checked add constraint small check (a >= 1) not valid;
alter table checked add column e numeric(7,1) not null default 'NaN';
select a, e, e + 1 from checked order by a, b;
create domain price as numeric(8,2) check (value > 0);
select 'NaN'::price, 'NaN'::float8::price;
create table priced (p price, q price[]);
insert into priced values ('NaN', '{1,NaN}');
select p, p + 1, q[2] from priced;
-- Values of other kinds.
create type pair as (x numeric(6,2), y text);
select ('NaN', 'b')::pair, (('NaN', 'b')::pair).x, (row('NaN'::float8, 'c')::pair).x + 1;
select '{1.25,NaN}'::numeric(6,1)[], array['NaN'::numeric(6,1), 2.25::numeric(6,1)], (array['NaN'::numeric(6,1)])[1] = 'NaN';
create table kept as select a, b, 'NaN'::numeric(7,3) as z, id from n where id in (1, 4);
select *, z + a from kept order by id;
create view shown as select id, a, a * 2 as twice from n;
select * from shown where a = 'NaN' or id = 1 order by id;
create materialized view stored as select id, a, b from n;
select * from stored where a = 'NaN' order by id;
create temporary table passing (v numeric(4,1));
insert into passing values ('NaN'), (1);
select v, v + 1 from passing order by v;
with added as (insert into passing values (2), ('NaN') returning v) select v, v * 2 from added order by v;
with recursive r (i, v) as (select 1, 1.5::numeric(6,2) union all select i + 1, case when i = 2 then 'NaN' else v + 1 end::numeric(6,2) from r where i < 4) select * from r order by i;
select v from (values (1, 1.5::numeric(5,2)), (2, 'NaN'::numeric(5,2))) t (i, v) order by i;
-- Partitions.
create table parted (k numeric(6,2), v integer) partition by range (k);
create table parted_low partition of parted for values from (minvalue) to (10);
create table parted_high partition of parted for values from (10) to ('NaN');
create table parted_nan partition of parted for values from ('NaN') to (maxvalue);
insert into parted values (1, 1), (11, 2), ('NaN', 3);
select tableoid::regclass::text, k, k + 1, v from parted order by v;
select v from parted where k = 'NaN';
select v from parted where k > 5 order by v;
update parted set k = 'NaN' where v = 1 returning tableoid::regclass::text, k;
create table listed (k numeric(6,2), v integer) partition by list (k);
create table listed_nan partition of listed for values in ('NaN', 1.5);
insert into listed values ('NaN', 1), (1.50, 2);
insert into listed values (2, 3);
select tableoid::regclass::text, k * 2, v from listed order by v;
-- Foreign keys.
create table parents (k numeric(6,2) primary key);
create table children (k numeric(6,2) references parents on update cascade, w numeric(10,4) references parents (k));
insert into parents values (1), ('NaN');
insert into children values ('NaN', 'NaN'), (1, 1);
insert into children values (2, null);
delete from parents where k = 'NaN';
update parents set k = 2.5 where k = 'NaN';
update children set w = null;
update parents set k = 'NaN' where k = 1;
update parents set k = 3 where k = 'NaN';
select * from children order by k;
-- Triggers and routines.
create table watched (id integer, v numeric(6,2));
create function watch() returns trigger language plpgsql as $$
declare
  seen numeric(6,2) := new.v;
begin
  raise notice '% % %', new, seen, seen + 1;
  if new.v = 'NaN' then new.v := 'NaN'; else new.v := new.v / 0.3; end if;
  return new;
end $$;
create trigger watch before insert or update on watched for each row when (new.v > 0) execute function watch();
insert into watched values (1, 1), (2, 'NaN'), (3, -1) returning *;
update watched set v = 'NaN' returning *;
create function doubled(numeric) returns numeric(6,2) language plpgsql as $$
declare
  r record; n numeric(4,1); w watched%rowtype; s numeric(6,2) := 0;
begin
  n := $1;
  for r in select id, v from watched order by id loop s := s + r.v; end loop;
  select * into w from watched where id = 2;
  raise notice '% % %', n, s, w;
  return n * 2;
end $$;
select doubled('NaN'), doubled(3.25);
create function fixed(x numeric(6,2)) returns table (a numeric(6,2), b numeric(6,2)) language sql as 'select x, x * 2';
select * from fixed('NaN'), fixed(1.255);
-- Prepared statements with values for parameters.
prepare put (integer, numeric) as insert into watched values ($1, $2) returning v;
execute put (10, 1.5);
execute put (11, 'NaN');
prepare find (numeric) as select id from watched where v = $1 order by id;
execute find ('NaN');
execute find (-1);
prepare cast_it (float8) as select $1::numeric(6,2), $1::numeric(6,2) + 1;
execute cast_it ('NaN');
execute cast_it (1.555);
-- What takes it back and what stays.
create table again (v numeric(6,2));
begin;
insert into again values ('NaN');
select v, v + 1 from again;
rollback;
select v, v + 1 from again;
insert into again values (1);
select v, v + 1, sum(v) over () from again;
alter table again alter column v type numeric(8,3);
insert into again values ('NaN');
alter table again alter column v type numeric(20,3);
select v, v + 1 from again order by v;
alter table again alter column v type float8;
select v from again order by v;
alter table again alter column v type numeric(5,1);
select v, v + 1 from again order by v;
truncate again;
insert into again values (2.25);
select v * 2 from again;
copy again from stdin;
NaN
nan
3.25
\.
select v, v + 1 from again order by v;
copy again to stdout;
copy (select v, v * 2 from again order by v) to stdout with (format csv);
select generate_series(1::numeric(4,1), 2.5::numeric(4,1), 0.5::numeric(4,1));
select generate_series('NaN'::numeric(4,1), 2);
select pg_typeof('NaN'::numeric(4,1)), pg_column_size('NaN'::numeric(4,1)) > 0, format('%s %L', 'NaN'::numeric(4,1), 'NaN'::numeric(4,1)), 'NaN'::numeric(4,1) || '', concat('NaN'::numeric(4,1), 1);
select 'NaN'::numeric(4,1) = 'NaN'::numeric(30,2), 'NaN'::numeric(4,1) > 999, 'NaN'::numeric(4,1) is distinct from 'NaN', 'NaN'::numeric(4,1) < 'Infinity'::numeric;
select sum(v::numeric(8,2)), avg(v::numeric(8,2)), max(v::numeric(8,2)) from (values ('NaN'::float8), (1), (2)) t (v);
