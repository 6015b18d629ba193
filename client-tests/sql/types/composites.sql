-- file: position message
create type composite_pair as (x int, y text);
create type composite_pair as (z int);
create type composite_bad as (x int, x text);
create type composite_bad as (x nope);
create type composite_none as ();
create type composite_box as (p composite_pair, n numeric(6,2));
create table composite_pair (a int);
create table composite_t (id int, c composite_pair, cs composite_pair[]);
insert into composite_t values (1, row(1, 'a'), '{"(2,b)","(3,)"}'), (2, '(4,"x y")', null), (3, null, array[row(1, 'q')::composite_pair]), (4, row(null, null), '{}');
insert into composite_t values (5, row(1));
insert into composite_t values (5, row(1, 2, 3));
insert into composite_t values (5, row('z', 'z'));
insert into composite_t values (5, '(z,z)');
insert into composite_t values (5, 7);
select id, c, cs::text from composite_t order by id;
select (c).x, (c).y, (composite_t.c).x + 1 from composite_t order by id;
select (c).* from composite_t order by id;
select (c).z from composite_t;
select c.x from composite_t;
select cs[1]::text, (cs[1]).y from composite_t order by id;
select id from composite_t where (c).x = 1;
select id from composite_t where c = row(1, 'a')::composite_pair;
select id from composite_t where c = row(1, 'a');
select id from composite_t order by c, id;
select c is null, c is not null from composite_t order by id;
select count(c), count(distinct c) from composite_t;
select c, count(*) from composite_t group by c order by c;
select row(1, 'a')::composite_pair, '(,)'::composite_pair;
select row(row(1, 'a'), 2.555)::composite_box::text;
select ((row(row(1, 'a'), 2.555)::composite_box).p).y;
select composite_t::text from composite_t order by id;
select (composite_t.c).y from composite_t order by (composite_t.c).x;
select pg_typeof(c)::text, pg_typeof(cs)::text from composite_t limit 1;
update composite_t set c = row(9, 'nine') where id = 1 returning c;
update composite_t set c.x = 10 where id = 1 returning c;
update composite_t set c.x = 10, c.y = 'ten' where id = 3 returning c;
update composite_t set c.x = (c).x + 1 where id = 1 returning c;
update composite_t set c.zz = 10;
update composite_t set c.x = 'q';
update composite_t set id.x = 10;
update composite_t set c.x = 1, c = null;
create index composite_i on composite_t (c);
select id from composite_t where c = row(4, 'x y')::composite_pair;
create table composite_k (c composite_pair primary key);
insert into composite_k values (row(1, 'a')), (row(1, 'b'));
insert into composite_k values (row(1, 'a'));
select * from composite_k order by c desc;
copy composite_t (id, c) from stdin;
30	(1,"two words")
31	\N
\.
copy composite_t (id, c) from stdin;
30	(1)
\.
copy (select id, c from composite_t order by id) to stdout;
-- ALTER TYPE
alter type composite_pair rename attribute x to first;
select (c).first from composite_t where id = 1;
alter type composite_pair rename attribute first to x;
alter type composite_pair rename attribute nope to x;
alter type composite_pair rename attribute x to y;
create type composite_free as (a int);
alter type composite_free add attribute b text, add attribute c date;
alter type composite_free drop attribute a, alter attribute b type int;
alter type composite_free drop attribute a;
-- notices
alter type composite_free drop attribute if exists a;
alter type composite_free add attribute b int;
select row(5, '2020-01-02')::composite_free;
alter type composite_free rename to composite_freed;
select '(6,)'::composite_freed;
select relname, relkind from pg_class where relname like 'composite%' and relkind = 'c' order by 1;
select typname, typtype, typcategory, typlen, typrelid = 0 from pg_type where typname in ('composite_pair', '_composite_pair') order by 1;
select attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid = (select oid from pg_class where relname = 'composite_box') order by attnum;
drop type composite_pair;
drop type composite_box, composite_freed;
drop type composite_pair;
drop table composite_k;
-- notices
drop type composite_pair cascade;
select * from composite_t order by id;
-- types of tables' rows as columns
create table composite_row (a int, b text);
create table composite_of_row (r composite_row);
insert into composite_of_row values (row(1, 'x')), ('(2,)');
select r, (r).b from composite_of_row order by r;
drop table composite_row;
alter table composite_row rename column b to c;
select (r).c from composite_of_row order by 1;
create table composite_pseudo as select row(1, 2) as r;
create view composite_pseudo as select row(1, 2) as r;
drop table composite_of_row, composite_row;
