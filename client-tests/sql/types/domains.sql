-- file: position message
create domain domain_pos as integer check (value > 0);
create domain domain_pos as integer;
create domain domain_code as varchar(5) default 'abc' constraint upper_only check (value = lower(value)) constraint not_x check (value <> 'x');
create domain domain_nn as text not null;
create domain domain_small as domain_pos constraint below_100 check (value < 100) default 7;
create domain domain_price as numeric(8,2) check (value >= 0);
create domain domain_list as integer[] check (array_length(value, 1) < 3);
create domain domain_bad as record;
create domain domain_bad as nope;
create domain domain_bad as int check (other > 0);
create domain domain_bad as int check ('x');
create domain domain_bad as int check (value);
create domain domain_bad as int default 1 default 2;
create domain domain_bad as int not null null;
create domain domain_bad as int unique;
create domain domain_bad as int primary key;
create domain domain_bad as int constraint c check (value > 0) constraint c check (value > 1);
-- casts
select 5::domain_pos, '7'::domain_pos, null::domain_pos, 3.6::domain_pos;
select 0::domain_pos;
select (-3)::domain_pos;
select 'x'::domain_pos;
select null::domain_nn;
select 'a'::domain_nn;
select 50::domain_small, cast(5 as domain_small);
select 200::domain_small;
select (-1)::domain_small;
select 'ABC'::domain_code;
select 'x'::domain_code;
select 'abcdefgh'::domain_code;
select 1.239::domain_price, '2'::domain_price;
select (-0.5)::domain_price;
select '{1,2}'::domain_list::text;
select '{1,2,3}'::domain_list;
select (array[4,5]::domain_list)[2];
select 5::domain_pos + 1, 5::domain_pos = 5, 5::domain_pos || 'x';
select x::domain_pos from (values (1), (0)) v(x) where x > 0;
select x::domain_pos from (values (1), (0)) v(x);
select coalesce(null::domain_pos, 3);
-- columns
create table domain_t (id int, p domain_pos, c domain_code, s domain_small default 9, n domain_price);
insert into domain_t (id) values (1);
insert into domain_t values (2, 5, 'z', 3, 1.5);
insert into domain_t values (3, 0);
insert into domain_t values (3, 1, 'UP');
insert into domain_t values (3, 1, 'toolong');
insert into domain_t values (3, 1, default, default, 7.777);
insert into domain_t values (4, 1, 'q', 100);
insert into domain_t select 5, 6, 'r', 8, 2;
insert into domain_t select 5, id - 2 from domain_t;
insert into domain_t select 5, '5', 'r';
update domain_t set p = 0 where id = 2;
update domain_t set p = p + 10, c = 'w' where id = 2 returning *;
update domain_t set p = default, s = default where id = 2 returning p, s;
select * from domain_t order by id, p;
select p, count(*) from domain_t group by p order by p;
select id from domain_t where p > 1 and c in ('r', 'w') order by id;
select max(p), min(c), sum(n) from domain_t;
select a.id from domain_t a join domain_t b on a.p = b.p order by 1;
create table domain_n (a domain_nn, b int);
insert into domain_n (b) values (1);
insert into domain_n values (null, 1);
insert into domain_n values ('x', 1);
update domain_n set a = null;
create index domain_i on domain_t (p);
select id from domain_t where p = 6;
create table domain_k (p domain_pos primary key);
insert into domain_k values (1), (2);
insert into domain_k values (2);
insert into domain_k values (0) on conflict do nothing;
copy domain_t (id, p, c) from stdin;
7	9	k
8	0	k
\.
copy domain_t (id, p, c) from stdin;
7	9	k
8	\N	k
\.
copy domain_n from stdin;
\N	1
\.
copy (select id, p, c, s from domain_t order by id, p) to stdout;
-- ALTER DOMAIN
alter domain domain_pos set default 11;
insert into domain_t (id) values (20) returning p;
alter domain domain_pos drop default;
insert into domain_t (id) values (21) returning p;
alter domain domain_pos set not null;
alter domain domain_pos add constraint big check (value > 100);
alter domain domain_pos add constraint big check (value > 100) not valid;
insert into domain_k values (50);
alter domain domain_pos validate constraint big;
alter domain domain_pos drop constraint big;
insert into domain_k values (50);
alter domain domain_pos drop constraint big;
-- notices
alter domain domain_pos drop constraint if exists big;
alter domain domain_pos add check (value < 1000);
insert into domain_k values (1000);
alter domain domain_pos rename constraint domain_pos_check1 to below_1000;
alter domain domain_pos rename constraint nope to x;
insert into domain_k values (1000);
alter domain domain_pos add constraint below_1000 check (value < 5);
alter domain domain_pos validate constraint nope;
alter domain domain_nope drop not null;
alter domain domain_t drop not null;
alter domain domain_nn drop not null;
insert into domain_n (b) values (5);
alter domain domain_nn set not null;
alter domain domain_pos rename to domain_positive;
select 0::domain_positive;
insert into domain_k values (0);
alter type domain_positive rename to domain_pos;
begin;
alter domain domain_pos drop constraint domain_pos_check;
insert into domain_k values (-1);
rollback;
insert into domain_k values (-1);
-- catalogs
select typname, typtype, typcategory, typlen, typnotnull, typbasetype::regtype::text, typtypmod, typdefault is null as no_default from pg_type where typname like 'domain\_%' and typtype = 'd' order by 1;
select attname, format_type(atttypid, atttypmod), atttypmod from pg_attribute where attrelid = 'domain_t'::regclass and attnum > 0 order by attnum;
select conname, contype, convalidated, contypid::regtype::text from pg_constraint where contypid = 'domain_pos'::regtype order by conname;
select domain_name, data_type, character_maximum_length, numeric_precision, numeric_scale, udt_name from information_schema.domains where domain_name like 'domain%' order by 1;
-- dropping
drop domain domain_pos;
drop type domain_list;
-- notices
drop domain if exists domain_nope, domain_price cascade;
select * from domain_t order by id, p;
drop domain domain_nope;
drop table domain_k, domain_t, domain_n;
drop domain domain_pos;
drop domain domain_small;
drop domain domain_pos, domain_code, domain_nn;
