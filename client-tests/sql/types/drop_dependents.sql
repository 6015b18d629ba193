-- file: message detail hint context notices
-- What goes with a type, or keeps it, told in PostgreSQL's order; what is left of its tables works.
create type state as enum ('new', 'paid', 'shipped');
create function say() returns trigger language plpgsql as $$ begin raise notice '% %', tg_op, tg_name; return new; end $$;
create table orders (id int primary key, s state default 'new', n int,
                     g text generated always as (case s when 'paid' then 'P' else 'N' end) stored,
                     check (s <> 'paid' or n > 0), unique (s, n));
create index orders_partial on orders (n) where s = 'paid';
create view of_state as select id, s from orders;
create view only_paid as select id from orders where s = 'paid';
create view all_orders as select count(*) from orders;
create table parts (s state, n int, foreign key (s, n) references orders (s, n));
create trigger a_when before update on orders for each row when (old.s = 'shipped') execute function say();
create trigger b_of before update of s on orders for each row execute function say();
create trigger c_other before update on orders for each row execute function say();
insert into orders (id, s, n) values (1, 'shipped', 3);
drop type state;
alter table orders drop column s;
begin;
alter table orders drop column s cascade;
insert into orders (id, n) values (2, 5) returning *;
update orders set n = n + 1;
select conname from pg_constraint where conrelid in ('orders'::regclass, 'parts'::regclass) order by 1;
rollback;
begin;
drop type state cascade;
insert into orders (id, n) values (2, 5) returning *;
update orders set n = n + 1;
insert into parts values (9) returning *;
select tgname from pg_trigger where tgrelid = 'orders'::regclass order by 1;
select conname from pg_constraint where conrelid in ('orders'::regclass, 'parts'::regclass) order by 1;
select indexname from pg_indexes where tablename = 'orders' order by 1;
select * from all_orders;
rollback;
update orders set n = n + 1, s = 'paid' returning *;
drop type state cascade;
update orders set n = n + 1 returning *;
alter table orders add column g int default 4;
select * from orders;
drop table orders, parts cascade;

-- A column of a domain that foreign keys refer to.
create domain number as int;
create table parents (id number primary key, n int generated always as (id + 1) stored, k int);
create table children (x number references parents, k int default 3);
insert into parents (id, k) values (1, 1);
drop domain number;
begin;
drop domain number cascade;
insert into parents (k) values (2) returning *;
insert into children (k) values (4) returning *;
rollback;
insert into children values (7);
drop table parents, children;
drop domain number;

-- A composite type: over its fields are a check, a key and an index.
create type pair as (a int, b int);
create table pairs (id int primary key, p pair, n int, check ((p).a > n), unique (p, n));
create index pairs_field on pairs (((p).a));
create trigger of_field before insert on pairs for each row when ((new.p).a > 2) execute function say();
begin;
drop type pair cascade;
insert into pairs values (1, 2) returning *;
select conname from pg_constraint where conrelid = 'pairs'::regclass order by 1;
rollback;
insert into pairs values (1, (3, 4), 2);
drop table pairs;
drop type pair;
drop function say();

-- Types, functions and sequences of a schema that tables of others use.
create schema stock;
create type stock.state as enum ('in', 'out');
create function stock.next(int) returns int language sql immutable as 'select $1 + 1';
create sequence stock.numbers;
create function stock.say() returns trigger language plpgsql as $$ begin raise notice '%', tg_name; return new; end $$;
create table stock.places (id int primary key);
create table goods (id int default nextval('stock.numbers'), s stock.state, k int default stock.next(1),
                    m int check (stock.next(m) > 0), r int references stock.places);
create view known as select id, stock.next(m) from goods;
create view states as select s from goods;
create function of_state(stock.state) returns int language sql as 'select 1';
create trigger a_when before insert on goods for each row when (stock.next(new.m) > 3) execute function stock.say();
create trigger b_state before insert on goods for each row when (new.s = 'in') execute function stock.say();
drop schema stock;
begin;
drop function stock.next cascade;
insert into goods (m, s) values (5, 'in') returning *;
select tgname from pg_trigger where tgrelid = 'goods'::regclass and not tgisinternal order by 1;
rollback;
insert into goods (m) values (5) returning k, m;
drop schema stock cascade;
insert into goods (m) values (-8) returning *;
update goods set m = -9;
select * from goods order by m;
drop table goods;

-- Partitions.
create table halves (id int, s int, k int) partition by list (k);
create table half partition of halves for values in (1);
create function keep() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger named before insert on halves for each row when (new.s > 1) execute function keep();
create trigger other before insert on halves for each row when (new.id > 1) execute function keep();
insert into halves values (1, 1, 1);
alter table halves drop column s;
alter table halves drop column s cascade;
insert into halves (id, k) values (2, 1) returning *;
select tgrelid::regclass::text, tgname from pg_trigger where tgrelid in ('halves'::regclass, 'half'::regclass) order by 1, 2;
drop function keep cascade;
insert into halves (id, k) values (3, 1) returning *;
drop table halves;

-- Names as they are told.
create type "S s" as enum ('a', 'b');
create table "T t" ("X x" "S s", "G g" text generated always as (case "X x" when 'a' then 'q' end) stored, y int primary key);
create table child (r int constraint "K k" references "T t", z int);
create view "V v" as select "X x", y from "T t";
drop type "S s";
drop table "T t";
alter table "T t" drop column y;
alter table "T t" drop constraint "T t_pkey";
alter table "T t" drop constraint "T t_pkey" cascade;
drop table "T t" cascade;
drop type "S s";
drop table child;
