-- file: position message detail
create table account (id integer primary key, email text unique, kind char(5), number integer, unique (kind, number));
insert into account values (1, 'a@x', 'one', 1), (2, 'b@x', 'one', 2), (3, null, 'two', 1), (4, null, 'two', null), (5, 'c@x', 'two', null), (6, 'd@x', null, 1), (7, 'e@x', null, 1);
insert into account values (1, 'z', 'z', 1);
insert into account values (8, 'a@x', 'z', 1);
insert into account values (8, 'z', 'one', 2);
insert into account values (8, 'z', 'one  ', 2);
insert into account values (null, 'z', 'z', 1);
insert into account (email) values ('z');
insert into account values (8, 'y', 'y', 1), (9, 'w', 'w', 1), (8, 'v', 'v', 1);
insert into account values (8, 'y', 'y', 1), (9, 'y', 'w', 1);
select * from account order by id;
insert into account select id + 10, email || '!', kind, number + 10 from account;
select * from account order by id;
insert into account select id, email, kind, number from account;
insert into account select id + 100, email, kind, number from account;
select count(*) from account;
update account set id = 2 where id = 1;
update account set id = id where id = 1;
update account set id = 100 where id = 1;
update account set id = 1 where id = 100;
update account set id = id + 1000;
update account set id = id - 1000;
update account set email = 'a@x' where id = 2;
update account set email = null;
update account set email = 'same' where id < 3;
update account set email = 'mail' || id;
update account set kind = 'one', number = 1 where id = 2;
update account set kind = 'one', number = 3 where id = 2;
select * from account order by id;
delete from account where id = 2;
insert into account values (2, 'again', 'one', 3);
insert into account values (2, 'again', 'one', 3);
delete from account;
insert into account values (2, 'again', 'one', 3);
truncate account;
insert into account values (2, 'again', 'one', 3);
insert into account values (2, 'again', 'one', 3);
copy account from stdin;
20	q	x	1
21	r	x	2
20	s	x	3
\.
copy account from stdin;
20	q	x	1
21	again	x	2
\.
select * from account order by id;
create table several (a integer, b text, c date, constraint several_name unique (a, b), primary key (c));
insert into several values (1, 'x', '2020-01-01'), (1, 'y', '2020-01-02'), (null, 'x', '2020-01-03'), (null, 'x', '2020-01-04');
insert into several values (1, 'y', '2020-01-05');
insert into several values (1, 'z', '2020-01-01');
select * from several order by c;
create table bad (a integer primary key, b integer primary key);
create table bad (a integer primary key, b integer, primary key (b));
create table bad (a integer, primary key (nosuch));
create table bad (a integer, primary key (a, a));
create table bad (a integer, unique (a, a));
create table bad (a integer, unique (nosuch));
create table twice (a integer unique primary key, unique (a));
insert into twice values (1), (1);
create table long_name_of_a_table_that_goes_on_and_on_for_ever (a_column_with_a_long_name_as_well_for_good_measure integer unique, b integer unique);
insert into long_name_of_a_table_that_goes_on_and_on_for_ever values (1, 1), (1, 2);
insert into long_name_of_a_table_that_goes_on_and_on_for_ever values (1, 1), (2, 1);
create table "müller_und_söhne_gesellschaft_mit_beschränkter_hafttung" ("größe_der_überschüssigen_ware" integer unique);
insert into "müller_und_söhne_gesellschaft_mit_beschränkter_hafttung" values (1), (1);
create table names ("order" integer, "select" integer, "int" integer, name integer, "Upper" integer, "a b" integer, "quo""te" integer, year integer, "1st" integer, x1 integer, unique ("order", "select", "int", name, "Upper", "a b", "quo""te", year, "1st", x1));
insert into names values (1, 2, 3, 4, 5, 6, 7, 8, 9, 10), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
