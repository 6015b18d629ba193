-- file: message detail
-- Checks of partitioned tables, and of partitions, that call functions that users made.
create function is_even(n integer) returns boolean language sql immutable as 'select n % 2 = 0';
create function is_known(t text) returns boolean language plpgsql as $$ begin return exists (select 1 from part_words where word = t); end $$;
create table part_words (word text primary key);
insert into part_words values ('one'), ('two');
create table checked (n integer check (is_even(n)), t text) partition by range (n);
create table checked_a partition of checked for values from (0) to (100);
create table checked_b partition of checked (constraint is_word check (is_known(t))) for values from (100) to (200);
create table checked_c partition of checked for values from (200) to (300) partition by list (t);
create table checked_c_one partition of checked_c (check (is_even(n / 2))) for values in ('one');
insert into checked values (2, 'x'), (102, 'one'), (204, 'one');
insert into checked values (3, 'x');
insert into checked values (102, 'x');
insert into checked values (202, 'one');
insert into checked select g * 2, 'two' from generate_series(0, 60) g;
insert into checked select g * 2, case when g = 57 then 'three' else 'two' end from generate_series(0, 60) g;
insert into checked_b values (104, 'x');
insert into checked_b values (104, 'two');
update checked set n = n + 100 where n = 2;
update checked set n = 4, t = 'y' where n = 104;
update checked set t = 'z' where n > 100 and n < 110;
copy checked from stdin;
6	x
106	one
\.
copy checked from stdin;
6	x
106	x
\.
merge into checked c using (values (106)) as v(n) on c.n = v.n when matched then update set t = 'three';
select tableoid::regclass::text, n, t from checked where t <> 'two' or n > 110 order by n, t;
create function before_checked() returns trigger language plpgsql as $$ begin new.t := new.t || 'e'; return new; end $$;
create trigger first before insert on checked for each row execute function before_checked();
insert into checked values (110, 'on');
insert into checked values (110, 'two');
drop trigger first on checked;
create table checked_d (n integer, t text, constraint checked_n_check check (is_even(n)), constraint small check (is_even(n / 10)));
insert into checked_d values (300, 'x');
alter table checked attach partition checked_d for values from (300) to (400);
insert into checked values (310, 'x');
insert into checked values (322, 'x');
alter table checked add constraint odd check (is_even(n * 2) or is_even(length(t)));
insert into checked values (324, 'x');
alter table checked detach partition checked_d;
insert into checked_d values (330, 'x');
create or replace function is_even(n integer) returns boolean language sql immutable as 'select n % 4 = 0';
insert into checked values (6, 'x');
insert into checked values (8, 'x');
drop function is_known(text);
drop function is_known(text) cascade;
insert into checked values (108, 'anything');
select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint where conrelid::regclass::text like 'checked%' order by 1, 2;
drop table checked, checked_d;
drop function is_even(integer), before_checked();
drop table part_words;
