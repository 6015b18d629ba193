-- file: message position
-- INCLUDE and WITH of keys, NO INHERIT, constraints made of indexes.
create table ko (a integer, b integer, c text, unique (a) include (b), primary key (b) include (a, c));
select conname, contype, pg_get_constraintdef(oid), conkey from pg_constraint where conrelid = 'ko'::regclass order by 1;
select pg_get_indexdef(indexrelid), indnkeyatts, indnatts, indkey from pg_index where indrelid = 'ko'::regclass order by 1;
insert into ko values (1, 1, 'x');
insert into ko values (1, 2, 'y');
insert into ko values (2, 1, 'y');
insert into ko values (2, 2, 'y') on conflict (a) do nothing;
create table ko_bad (a integer, unique (a) include (nosuch));
create table ko_bad (a integer, unique (a) include (a));
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'ko_bad'::regclass;
create table ko_fill (a integer primary key with (fillfactor = 70), b integer, unique (b) with (fillfactor = 80));
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'ko_fill'::regclass order by 1;
select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'ko_fill'::regclass order by 1;
create table ko_fill_bad (a integer primary key with (fillfactor = 7));
create table ko_fill_bad (a integer primary key with (nosuch = 7));
alter table ko_fill add column c integer;
alter table ko_fill add unique (c) include (a);
alter table ko_fill add constraint ko_both unique (c, b) include (a) with (fillfactor = 50);
alter table ko_fill drop column a cascade;
select conname from pg_constraint where conrelid = 'ko_fill'::regclass order by 1;
-- NO INHERIT.
create table ko_check (a integer check (a > 0) no inherit, b integer, check (b > 0) no inherit);
select conname, pg_get_constraintdef(oid), connoinherit from pg_constraint where conrelid = 'ko_check'::regclass order by 1;
insert into ko_check values (0, 1);
alter table ko_check add constraint ko_sum check (a + b < 10) no inherit not valid;
select conname, pg_get_constraintdef(oid), connoinherit from pg_constraint where conrelid = 'ko_check'::regclass order by 1;
-- USING INDEX.
create table ku (a integer, b integer, c text);
insert into ku values (1, 1, 'x'), (2, 2, 'y'), (null, 3, 'z');
create unique index ku_a on ku (a);
create unique index ku_b on ku (b);
create unique index ku_ab on ku (a, b) include (c);
create index ku_plain on ku (b);
create unique index ku_expression on ku ((a + 1));
create unique index ku_partial on ku (a) where a > 0;
create unique index ku_descending on ku (b desc);
create table ku_other (a integer);
create unique index ku_other_a on ku_other (a);
alter table ku add constraint ku_pkey primary key using index nosuch;
alter table ku add constraint ku_pkey primary key using index ku_plain;
-- detail
alter table ku add constraint ku_pkey primary key using index ku_expression;
-- detail
alter table ku add constraint ku_pkey primary key using index ku_partial;
-- detail
alter table ku add constraint ku_pkey primary key using index ku_descending;
alter table ku add constraint ku_pkey primary key using index ku_other_a;
alter table ku add constraint ku_pkey primary key using index ku_a;
-- notices
alter table ku add constraint ku_pkey primary key using index ku_b;
select pg_get_constraintdef(oid), conname from pg_constraint where conrelid = 'ku'::regclass order by 1;
select attname, attnotnull from pg_attribute where attrelid = 'ku'::regclass and attnum > 0 order by attnum;
alter table ku add constraint ku_again primary key using index ku_a;
alter table ku add constraint ku_again unique using index ku_pkey;
alter table ku add unique using index ku_a;
-- notices
alter table ku add constraint ku_wide unique using index ku_ab;
select pg_get_constraintdef(oid), conname from pg_constraint where conrelid = 'ku'::regclass order by 1;
insert into ku values (5, 1, 'w');
drop index ku_a;
alter table ku drop constraint ku_a;
select relname from pg_class where relname like 'ku%' order by 1;
begin;
create unique index ku_new on ku (c);
alter table ku add constraint ku_c unique using index ku_new;
rollback;
select relname from pg_class where relname like 'ku%' order by 1;
create table kup (a integer) partition by range (a);
create unique index kup_a on kup (a);
alter table kup add constraint kup_u unique using index kup_a;
