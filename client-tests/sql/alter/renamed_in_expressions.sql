-- file: message hint
-- Expressions and views go on meaning what they meant when types, functions and schemas get other names, and wherever
-- the search path looks.
create schema first_place;
set search_path = first_place, public;
create type mood as enum ('low', 'high');
create domain positive as int check (value > 0);
create type pair as (a int, b text);
create function base_value() returns int language sql immutable as 'select 40';
create function base_value(int) returns int language sql immutable as 'select $1 + 40';
create function chosen(m mood default 'low'::mood, n int default base_value()) returns text language sql as 'select m::text || n';
create table named (
  id int primary key,
  m mood default 'low'::mood check (m::text <> 'none' and m <= 'high'::mood),
  n int default base_value(),
  o int default base_value(2)::positive,
  p pair default row(1, 'x')::pair,
  q text generated always as (case when m = 'high'::mood then 'up' else 'down' end) stored
);
create index named_part on named (id) where m = 'high'::mood;
create index named_part_2 on named ((m::mood));
create view shown as select id, m, 'high'::mood as best, array['low']::mood[]::text[] as all_of, base_value(id) as b, (row(id, 'v')::pair).b as r from named where m < 'high'::mood;
create view listed as select * from json_to_recordset('[{"a": "low", "b": "2"}]') as x(a mood, b text);
insert into named (id) values (1);
select * from named;
select * from shown;
set search_path = public;
insert into first_place.named (id) values (2);
select * from first_place.named order by id;
select * from first_place.shown order by id;
select first_place.chosen();
alter type first_place.mood rename to feeling;
alter type first_place.pair rename to couple;
alter domain first_place.positive rename to above_zero;
alter function first_place.base_value() rename to base_number;
alter function first_place.base_value(int) rename to base_number;
insert into first_place.named (id) values (3);
insert into first_place.named (id, m) values (4, 'high');
select * from first_place.named order by id;
select * from first_place.shown order by id;
select * from first_place.listed;
select first_place.chosen();
select id from first_place.named where m = 'high'::first_place.feeling;
alter schema first_place rename to second_place;
insert into second_place.named (id) values (5);
select * from second_place.named order by id;
select * from second_place.shown order by id;
select second_place.chosen();
select a.attname, pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum where d.adrelid = 'second_place.named'::regclass order by a.attnum;
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'second_place.named'::regclass order by conname;
select indexdef from pg_indexes where tablename = 'named' order by indexname;
select pg_get_viewdef('second_place.listed'::regclass) like '%feeling, b%';
select pg_get_function_arguments(oid) from pg_proc where proname = 'chosen';
set search_path = second_place;
select a.attname, pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum where d.adrelid = 'named'::regclass order by a.attnum;
select indexdef from pg_indexes where tablename = 'named' order by indexname;
select pg_get_function_arguments(oid) from pg_proc where proname = 'chosen';
create table alike (like named including all);
insert into alike (id) values (6);
select * from alike;
drop function base_number();
drop function base_number(int);
drop type feeling;
alter function base_number() set schema public;
insert into named (id) values (7);
select id, n from named where id = 7;
drop function public.base_number();
drop function chosen(feeling, int);
drop function public.base_number() cascade;
insert into named (id) values (8);
select id, n from named where id = 8;
reset search_path;
create table outside (a int default second_place.base_number(3), b int);
drop schema second_place;
drop schema second_place cascade;
insert into outside (b) values (1);
select * from outside;
drop table outside;
create schema place;
create type place.kind as enum ('a', 'b');
create table with_trigger (a int, b text);
create function tell() returns trigger language plpgsql as $$begin new.b = 'told'; return new; end$$;
create function is_told(int) returns boolean language sql immutable as 'select $1 > 1';
create trigger told before insert on with_trigger for each row when (is_told(new.a) and 'a'::place.kind < 'b') execute function tell();
insert into with_trigger values (1), (2);
alter function is_told(int) rename to is_to_be_told;
alter type place.kind rename to sort;
insert into with_trigger values (1), (2);
select * from with_trigger order by 1, 2;
select pg_get_triggerdef(oid) from pg_trigger where tgname = 'told';
drop table with_trigger;
drop function tell(), is_to_be_told(int);
drop schema place cascade;
