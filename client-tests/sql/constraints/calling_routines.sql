-- file: message hint
-- Checks that call functions that users made.
create function is_even(n int) returns boolean language sql immutable as 'select n % 2 = 0';
create function is_known(t text) returns boolean language plpgsql as $$
begin
  if t = 'bad' then
    raise exception 'bad is bad';
  end if;
  return exists (select 1 from known_words where word = t);
end $$;
create table known_words (word text primary key);
insert into known_words values ('one'), ('two');
create table calling (n int check (is_even(n)), t text constraint is_word check (is_known(t)), m int default 0);
insert into calling values (2, 'one');
insert into calling values (3, 'one');
insert into calling values (4, 'three');
insert into calling values (4, 'bad');
insert into calling values (null, null);
insert into calling select g * 2, 'two' from generate_series(1, 5) g;
insert into calling select g, 'two' from generate_series(4, 5) g;
update calling set n = n + 2 where n = 4;
update calling set n = n + 1 where n = 8;
update calling set m = 1;
delete from known_words where word = 'two';
update calling set m = 2;
insert into known_words values ('two');
update calling set m = 2 where n = 2;
select * from calling order by n, t;
copy calling from stdin;
12	one	5
\.
copy calling (n, t) from stdin;
13	one
\.
delete from calling where n in (2, 6);
alter table calling add unique (n);
insert into calling values (12, 'one') on conflict (n) do update set n = excluded.n + 1;
insert into calling values (12, 'one') on conflict (n) do update set n = excluded.n + 2, m = 7;
merge into calling c using (values (14)) as v(n) on c.n = v.n when matched then update set n = 15;
merge into calling c using (values (14)) as v(n) on c.n = v.n when matched then update set n = 16;
select * from calling order by n, t, m;
alter table calling add constraint small check (not is_even(m / 100));
alter table calling add constraint small check (is_even(m / 100));
alter table calling add constraint odd check (is_even(m));
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'calling'::regclass order by conname;
drop function is_even(int);
drop function is_known(text);
create or replace function is_even(n int) returns boolean language sql immutable as 'select n % 4 = 0';
insert into calling values (18, 'one');
insert into calling values (20, 'one');
alter function is_even(int) rename to is_good;
insert into calling values (22, 'one');
insert into calling values (24, 'one');
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'calling'::regclass order by conname;
create table calling_too (like calling including all);
insert into calling_too values (2, 'one');
drop table calling_too;
create domain word as text check (is_known(value));
select 'one'::word;
select 'four'::word;
select 'bad'::word;
create table of_words (w word, many word[]);
insert into of_words values ('one', '{one,two}');
insert into of_words values ('one', '{one,three}');
copy of_words from stdin;
two	{two}
\.
copy of_words from stdin;
three	{two}
\.
select w, many::text[] from of_words order by w;
drop function is_known(text);
alter domain word add check (length(value) > 2 and is_known(value || ''));
do $$ declare w word := 'one'; begin w := 'five'; end $$;
create view calling_view as select n, t from calling where n > 0 with check option;
insert into calling_view values (28, 'one');
insert into calling_view values (30, 'one');
create table parents (p int primary key);
create table children (c int references parents on update cascade check (is_good(c)));
insert into parents values (4), (8);
insert into children values (4), (8);
update parents set p = 12 where p = 4;
update parents set p = 13 where p = 8;
select * from children order by c;
create function before_calling() returns trigger language plpgsql as $$ begin new.n := new.n + 1; return new; end $$;
create trigger first before insert on calling for each row execute function before_calling();
insert into calling values (31, 'one');
insert into calling values (32, 'one');
create role calling_user;
grant insert on calling to calling_user;
revoke execute on function is_good(int) from public;
set role calling_user;
insert into calling values (35, 'one');
reset role;
drop view calling_view;
drop table children, parents;
revoke all on calling from calling_user;
drop role calling_user;
drop function is_good(int) cascade;
insert into calling values (2, 'one');
select conname from pg_constraint where conrelid = 'calling'::regclass order by conname;
drop table of_words;
drop domain word;
drop table calling;
drop function is_known(text), before_calling();
drop table known_words;
create function always(int) returns boolean language sql immutable as 'select true';
create domain of_function as int check (always(value));
drop function always(int);
select 5::of_function;
drop function always(int) cascade;
select 5::of_function;
select count(*) from pg_constraint where contypid = 'of_function'::regtype;
drop domain of_function;
create function of_int(n int) returns boolean language sql immutable as 'select n > 0';
create table widened (c int check (of_int(c)));
alter table widened alter column c type bigint;
alter table widened alter column c type smallint;
insert into widened values (0);
drop table widened;
drop function of_int(int);
