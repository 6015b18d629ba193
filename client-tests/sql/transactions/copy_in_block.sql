-- file: message notices
create table copied (id integer primary key, name text);
begin;
copy copied from stdin;
1	one
2	two
\.
select * from copied order by id;
copy copied from stdin csv;
3,three
\.
copy copied (id) to stdout;
rollback;
select * from copied order by id;
begin;
insert into copied values (1, 'one');
copy copied from stdin;
2	two
3	three
\.
update copied set name = upper(name) where id >= 2;
commit;
select * from copied order by id;
-- What fails takes the block with it.
begin;
insert into copied values (10, 'ten');
copy copied from stdin;
11	eleven
x	twelve
\.
select 1;
copy copied to stdout;
commit;
select * from copied order by id;
begin;
copy copied from stdin;
20	twenty
1	one again
\.
rollback;
select * from copied order by id;
-- Or a savepoint's part of it.
begin;
insert into copied values (30, 'thirty');
savepoint s;
copy copied from stdin;
31	thirty-one
30	thirty again
\.
rollback to s;
copy copied from stdin;
31	thirty-one
\.
savepoint s;
copy copied from stdin;
32	thirty-two
\.
rollback to s;
commit;
select * from copied order by id;
copy copied to stdout;
begin;
delete from copied;
copy copied from stdin;
1	new
\.
copy (select id, name from copied) to stdout csv header;
rollback;
copy (select id, name from copied order by id) to stdout;
-- Not there, and not allowed.
begin;
copy nosuch from stdin;
1	x
\.
rollback;
begin isolation level repeatable read;
copy copied from stdin;
40	forty
\.
select * from copied where id = 40;
commit;
select * from copied where id = 40;
drop table copied;
