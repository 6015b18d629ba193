-- file: message detail hint context
-- Functions that return the rows of one query and do nothing else: it becomes a part of the statement that calls, where nothing of it can fail.
create table rows_of (id int primary key, a varchar(15), n numeric(6, 2), c char(3), s smallint);
insert into rows_of select i, 'v' || i, i * 1.5, 'abc', i % 7 from generate_series(1, 100) i;

create function all_columns(k int) returns setof rows_of language plpgsql stable as $$
begin
  return query select * from rows_of t where t.id = k;
end
$$;
create function two_columns(k int) returns table (x int, w varchar) language plpgsql stable as $$ begin return query select t.id, t.a from rows_of t where t.id = k; end; $$;
create function numbers(k int) returns setof numeric language plpgsql stable strict as $$ begin return query select n from rows_of t where t.id <= k; end; $$;
create function numbered(k int) returns setof varchar language plpgsql stable as $$ begin return query select a from rows_of t where t.id <= $1; end; $$;
create function qualified(k int) returns setof int language plpgsql immutable as $$ begin return query select qualified.k from rows_of t where t.id <= qualified.k; end; $$;
create function descending(k int) returns setof rows_of language plpgsql stable as $$ begin return query select * from rows_of where a like 'v1%' and id < k order by id desc; end $$;
create function nested(k int) returns setof int language plpgsql stable as $$ begin return query select x from two_columns(k); end $$;
create function volatile_rows(k int) returns setof int language plpgsql as $$ begin return query select id from rows_of where id <= k; end $$;
select * from all_columns(5);
select * from two_columns(5);
select * from numbers(3);
select * from numbers(null);
select numbers(3);
select * from numbered(3);
select numbered(2), numbered(3);
select * from qualified(2);
select * from descending(20);
select * from nested(2);
select * from volatile_rows(3);
select t.id, x.* from rows_of t, two_columns(t.id) x where t.id < 4 order by 1;
select t.id, x.* from rows_of t left join lateral two_columns(t.id + 98) x on true where t.id < 4 order by 1;
select all_columns(5)::text;
select (all_columns(5)).*;
select count(*) from all_columns(5), two_columns(7);
select * from all_columns(5) as q (z, y);
select * from all_columns(5) with ordinality;
select * from rows from (numbered(2), qualified(3));
select * from rows_of where id in (select x from two_columns(4));
select * from two_columns(5) where w = 'v5';
select x.x from two_columns((select 5)) x;
select * from all_columns('5');
select * from all_columns(5.5);

-- Names that could be a column's or a variable's; variables that have no value.
create function ambiguous(id int) returns setof rows_of language plpgsql stable as $$ begin return query select * from rows_of where id = 3; end $$;
create function ambiguous_output(k int) returns table (id int) language plpgsql stable as $$ begin return query select id from rows_of where rows_of.id = k; end $$;
create function outputs(k int) returns table (id int, w varchar) language plpgsql stable as $$ begin return query select t.id, t.a from rows_of t where t.id = k and w is null; end $$;
create function found_or_not(k int) returns setof int language plpgsql stable as $$ begin return query select t.id from rows_of t where found; end $$;
create function own_found(found int) returns setof int language plpgsql stable as $$ begin return query select t.id from rows_of t where t.id = own_found.found; end $$;
create function column_first(id int) returns setof int language plpgsql stable as $$
#variable_conflict use_column
begin return query select id from rows_of where id <= 2; end $$;
select * from ambiguous(5);
select * from ambiguous_output(5);
select * from outputs(5);
select * from found_or_not(2);
select * from own_found(2);
select * from column_first(7);

-- What fails says where.
create function other_type(k int) returns table (x int, w text) language plpgsql stable as $$ begin return query select t.id, t.a from rows_of t where t.id = k; end; $$;
create function fewer(k int) returns table (x int, w text) language plpgsql stable as $$ begin return query select t.id from rows_of t where t.id = k; end; $$;
create function divides(k int) returns table (x int) language plpgsql stable as $$
begin
  return query select 10 / t.s from rows_of t where t.id < k;
end $$;
create function several(k int) returns setof int language plpgsql stable as $$ begin return query select id from rows_of where id = (select s from rows_of where id < k); end $$;
create function escapes(k text) returns setof int language plpgsql stable as $$ begin return query select id from rows_of where a like 'v9\' or a like k; end $$;
create function missing() returns setof int language plpgsql stable as $$ begin return query select id from no_rows; end $$;
select * from other_type(5);
select * from fewer(5);
select * from divides(6);
select * from divides(9);
select * from several(2);
select * from several(9);
select * from escapes('v8\');
select * from missing();
set check_function_bodies = off;
create function misspelt() returns setof int language plpgsql stable as $$ begin return query selec 1; end $$;
-- position
select * from misspelt();
set check_function_bodies = on;

-- They change with what they are made of.
insert into rows_of select id + 1000, a, n, c, s from all_columns(5);
select * from all_columns(1005);
update rows_of set a = f.w from two_columns(5) f where id = 6;
select * from all_columns(6);
create view of_function as select * from two_columns(3);
select * from of_function;
create or replace function two_columns(k int) returns table (x int, w varchar) language plpgsql stable as $$ begin return query select t.id, t.a from rows_of t where t.id = k + 1; end $$;
select * from two_columns(5);
select * from nested(2);
select * from of_function;
drop view of_function;

create role reads_nothing;
grant usage on schema public to reads_nothing;
set role reads_nothing;
select * from all_columns(5);
select * from numbered(2);
reset role;
revoke usage on schema public from reads_nothing;
drop role reads_nothing;
