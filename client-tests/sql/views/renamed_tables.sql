-- What a primary key decides, it decides under the table's new name.
create table users (id integer primary key, name text);
create view v as select id, name from users group by id;
alter table users rename to people;
insert into people values (1, 'x');
select * from v;
drop view v;
drop table people;
