-- file: position message
create type enum_mood as enum ('sad', 'ok', 'happy');
create type enum_mood as enum ('x');
create type enum_empty as enum ();
create type enum_twice as enum ('a', 'a');
create type enum_long as enum ('0123456789012345678901234567890123456789012345678901234567890123');
create table enum_mood (a int);
create table enum_t (id int primary key, m enum_mood, ms enum_mood[]);
insert into enum_t values (1, 'ok', '{sad,happy}'), (2, 'sad', '{}'), (3, null, null), (4, 'happy', array['ok']::enum_mood[]);
insert into enum_t values (5, 'angry', null);
insert into enum_t (id, m) values (5, 'ok'::text);
insert into enum_t (id, m) values (5, ('o' || 'k')::enum_mood);
insert into enum_t (id, ms) values (6, '{ok,angry}');
select id, m, ms::text from enum_t order by id;
select m, m::text, m || '!' from enum_t order by id;
select 'happy'::enum_mood, cast('sad' as enum_mood), enum_mood 'ok';
select 'angry'::enum_mood;
select ''::enum_mood;
select 'Sad'::enum_mood;
select 1::enum_mood;
select 'ok'::enum_mood::int;
-- order and comparison
select * from (select id, m from enum_t) s order by m, id;
select id from enum_t order by m desc nulls last, id;
select id from enum_t where m > 'sad' order by id;
select id from enum_t where m >= 'ok' and m <> 'happy' order by id;
select id from enum_t where m in ('sad', 'happy') order by id;
select id from enum_t where m not in ('sad', 'happy') order by id;
select id from enum_t where m = any ('{sad,ok}') order by id;
select id from enum_t where m = any (array['sad', 'ok']::enum_mood[]) order by id;
select id from enum_t where m between 'sad' and 'ok' order by id;
select id from enum_t where 'happy' = any (ms) order by id;
select id from enum_t where m = 'angry';
select id from enum_t where m = 'ok'::text;
select id from enum_t where m::text like '%a%' order by id;
select id from enum_t where m is distinct from 'ok' order by id;
select min(m), max(m), count(m), count(distinct m) from enum_t;
select m, count(*) from enum_t group by m order by m;
select distinct m from enum_t order by m;
select greatest('sad'::enum_mood, 'ok'), least('happy'::enum_mood, 'sad');
select coalesce(m, 'sad') from enum_t order by id;
select case when id = 1 then m else 'happy' end from enum_t order by id;
select nullif(m, 'ok') from enum_t order by id;
select a.id, b.id from enum_t a join enum_t b on a.m = b.m and a.id < b.id order by 1;
select m from enum_t union select 'happy' order by 1;
select lag(m) over (order by m), m from enum_t where m is not null order by m, 1;
select string_agg(m::text, ',' order by m) from enum_t;
select array_agg(m order by m)::text from enum_t;
select array['ok'::enum_mood, 'sad']::text, array_append(ms, 'ok')::text, array_position(ms, 'happy') from enum_t order by id;
select unnest(ms) from enum_t where id = 1;
select ms[1], ms[2] from enum_t order by id;
select ms = '{sad,happy}', ms < '{happy}' from enum_t order by id;
select row(id, m::text) from enum_t order by id;
select m + 1 from enum_t;
select sum(m) from enum_t;
-- functions
select enum_range(null::enum_mood)::text, enum_range('ok'::enum_mood, null)::text, enum_range(null, 'ok'::enum_mood)::text, enum_range('ok'::enum_mood, 'ok')::text;
select enum_first(null::enum_mood), enum_last('sad'::enum_mood);
select enum_range('happy'::enum_mood, 'sad'::enum_mood)::text;
select enum_first(null);
select enum_first(1);
select enum_first(null::enum_empty);
select enum_range(null::enum_empty)::text;
-- indexes
create index enum_i on enum_t (m);
select id from enum_t where m = 'ok' order by id;
create unique index enum_u on enum_t (m) where m is not null and id < 5;
insert into enum_t values (0, 'sad');
create table enum_k (m enum_mood primary key, n int);
insert into enum_k values ('sad', 1), ('happy', 3), ('ok', 2);
insert into enum_k values ('ok', 5);
insert into enum_k values ('ok', 5) on conflict (m) do update set n = excluded.n returning m, n;
select * from enum_k order by m;
select * from enum_k where m > 'sad' order by m desc;
create table enum_f (m enum_mood references enum_k default 'ok' check (m <> 'happy'), n int);
insert into enum_f (n) values (1) returning m;
insert into enum_f values ('happy', 1);
insert into enum_f values ('sad', 1);
delete from enum_k where m = 'sad';
update enum_f set m = 'ok' where m = 'sad' returning *;
copy enum_f from stdin;
ok	3
angry	4
\.
copy enum_f from stdin;
ok	3
sad	4
\.
copy (select * from enum_f order by n) to stdout;
-- ALTER TYPE
alter type enum_mood add value 'meh' before 'ok';
alter type enum_mood add value 'ecstatic' after 'happy';
alter type enum_mood add value 'last';
alter type enum_mood add value 'first' before 'sad';
alter type enum_mood add value 'ok';
-- notices
alter type enum_mood add value if not exists 'ok';
alter type enum_mood add value 'z' before 'nowhere';
select enum_range(null::enum_mood)::text;
select enumlabel, enumsortorder from pg_enum where enumtypid = 'enum_mood'::regtype order by enumsortorder;
insert into enum_t values (10, 'meh'), (11, 'first'), (12, 'last');
select id, m from enum_t order by m, id;
alter type enum_mood rename value 'meh' to 'so-so';
alter type enum_mood rename value 'meh' to 'x';
alter type enum_mood rename value 'ok' to 'sad';
select id, m from enum_t order by m, id;
select 'meh'::enum_mood;
alter type enum_t add value 'x';
alter type enum_none add value 'x';
alter type enum_mood rename to enum_feeling;
select 'so-so'::enum_feeling, pg_typeof(m)::text from enum_t where id = 1;
select 'ok'::enum_mood;
alter type enum_feeling rename to enum_mood;
begin;
alter type enum_mood rename value 'so-so' to 'gone';
select 'gone'::enum_mood;
rollback;
select 'gone'::enum_mood;
select m from enum_t where id = 10;
begin;
create type enum_tx as enum ('p', 'q');
create table enum_tx_t (x enum_tx);
insert into enum_tx_t values ('q');
select * from enum_tx_t;
rollback;
select 'p'::enum_tx;
-- catalogs
select typname, typtype, typcategory, typlen, typbyval, typalign, typstorage, typrelid from pg_type where typname in ('enum_mood', '_enum_mood') order by typname;
select t.typname, a.typname, e.typname from pg_type t join pg_type a on a.oid = t.typarray join pg_type e on e.oid = a.typelem where t.typname = 'enum_mood';
select attname, format_type(atttypid, atttypmod), atttypmod, attlen, attbyval, attalign, attstorage, attndims from pg_attribute where attrelid = 'enum_t'::regclass and attnum > 0 order by attnum;
select column_name, data_type, udt_name from information_schema.columns where table_name = 'enum_t' order by ordinal_position;
select count(*), count(distinct oid) from pg_enum where enumtypid = 'enum_mood'::regtype;
select 'enum_mood'::regtype::text, 'enum_mood[]'::regtype::text;
select to_regtype('enum_mood')::text, to_regtype('enum_nope');
select pg_typeof(m)::text, pg_typeof(ms)::text from enum_t where id = 1;
-- dropping
drop type enum_mood;
-- notices
drop type if exists enum_nope, enum_empty;
drop type enum_nope;
drop domain enum_mood;
drop type enum_t;
create view enum_v as select id from enum_t where m = 'ok';
drop table enum_k, enum_f;
drop type enum_mood;
-- notices
drop type enum_mood cascade;
select * from enum_t order by id;
select * from enum_v;
