-- file: message hint
-- Types that stored expressions name stay.
create domain mentioned_domain as integer check (value > 0);
create type mentioned_enum as enum ('lo', 'hi');
create table mentioning (a integer check (a::mentioned_domain > 0), b integer default 3::mentioned_domain, c integer generated always as (a::mentioned_domain) stored, t text check ('lo'::mentioned_enum < 'hi'::mentioned_enum));
drop domain mentioned_domain;
drop type mentioned_enum;
insert into mentioning (a) values (1);
select * from mentioning;
alter table mentioning drop column c, drop constraint mentioning_a_check, alter column b drop default, drop constraint mentioning_check;
alter table mentioning drop constraint if exists mentioning_t_check;
create index mentioning_index on mentioning ((a::mentioned_domain));
drop domain mentioned_domain;
drop index mentioning_index;
create index mentioning_index on mentioning (a) where a::mentioned_domain > 5;
drop domain mentioned_domain;
drop index mentioning_index;
create function mentioning_function(x integer default 3::mentioned_domain) returns integer language sql as $$ select x $$;
drop domain mentioned_domain;
drop function mentioning_function;
create table of_mentioned (e mentioned_enum default 'lo' check (e <> 'hi'), d mentioned_domain default 5);
insert into of_mentioned default values;
drop type mentioned_enum cascade;
drop domain mentioned_domain cascade;
insert into of_mentioned default values;
drop table mentioning, of_mentioned;
