-- file: message detail hint position
-- A value that ALTER TYPE has added is not used before the transaction has ended.
create type signal as enum ('red', 'green');
create table signals (s signal);
insert into signals values ('red');
begin;
alter type signal add value 'blue';
select enum_range(null::signal)::text;
rollback;
begin;
alter type signal add value 'blue';
savepoint added;
select 'blue'::signal;
rollback to added;
select 'red'::signal, enum_first(null::signal), enum_range('red', 'green'::signal)::text;
savepoint added;
select enum_last(null::signal);
rollback to added;
insert into signals values ('blue');
rollback to added;
select * from signals where s = 'blue';
rollback to added;
select ('bl' || 'ue')::text::signal;
rollback to added;
alter type signal rename value 'blue' to 'navy';
select 'navy'::signal;
rollback to added;
alter table signals alter column s set default 'blue';
rollback to added;
copy signals from stdin;
blue
\.
rollback to added;
select enumlabel from pg_enum where enumtypid = 'signal'::regtype order by enumsortorder;
create type other_signal as enum ('on', 'off');
select 'off'::other_signal, enum_range(null::other_signal)::text;
alter type other_signal add value 'broken' before 'off';
select enum_range(null, 'on'::other_signal)::text;
select enum_range(null::other_signal)::text;
rollback to added;
commit;
select 'blue'::signal, enum_range(null::signal)::text;
insert into signals values ('blue');
-- One that was taken back.
begin;
savepoint before;
alter type signal add value 'white';
rollback to before;
select 'white'::signal;
rollback;
begin;
savepoint before;
alter type signal add value 'white' before 'red';
release before;
select enum_first(null::signal);
rollback;
begin;
alter type signal rename value 'green' to 'lime';
select 'lime'::signal;
commit;
-- Alone it is its own transaction.
alter type signal add value 'black';
select enum_last(null::signal);
drop table signals;
