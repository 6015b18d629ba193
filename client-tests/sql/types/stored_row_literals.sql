-- file: message notices
-- Literals of rows with dates in stored expressions mean what they meant to the session that wrote them.
set datestyle = 'sql, dmy';
create type stored_row as (d date, t text);
create domain stored_row_domain as stored_row check (value <> '(06/02/2024,)'::stored_row);
create table stored_rows (id int, c stored_row default '(01/02/2024,"it''s \\ ""so""")', check (c <> '(03/02/2024,)'::stored_row));
create table stored_generated (c stored_row, g boolean generated always as (c = '(05/02/2024,)'::stored_row) stored);
create function stored_fired() returns trigger language plpgsql as $$ begin raise notice 'fired'; return new; end $$;
create trigger stored_trigger before insert on stored_rows for each row when (new.c = '(09/02/2024,)'::stored_row) execute function stored_fired();
create table stored_parts (id int, c stored_row) partition by list ((c = '(10/02/2024,)'::stored_row));
create table stored_part partition of stored_parts for values in (true);
reset datestyle;
insert into stored_rows (id) values (1) returning *;
insert into stored_rows values (2, '(2024-02-03,)'::stored_row);
insert into stored_rows values (3, '(2024-02-09,)'::stored_row);
insert into stored_generated values ('(2024-02-05,)'::stored_row), ('(2024-05-02,)'::stored_row) returning *;
select '(2024-02-06,)'::stored_row_domain;
select '(2024-06-02,)'::stored_row_domain;
insert into stored_parts values (1, '(2024-02-10,)'::stored_row);
insert into stored_parts values (1, '(2024-10-02,)'::stored_row);
drop table stored_rows, stored_generated, stored_parts;
drop function stored_fired();
drop domain stored_row_domain;
drop type stored_row;
