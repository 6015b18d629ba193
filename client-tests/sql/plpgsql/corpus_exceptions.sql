-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/exceptions.sql that are taken, called.
create schema pc_exceptions;
set search_path = pc_exceptions, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
create function handlers() returns text language plpgsql as $$
declare
  a integer;
begin
  a := 1 / 0;
  return 'none';
exception
  when division_by_zero then
    return sqlstate || sqlerrm;
  when unique_violation or foreign_key_violation or sqlstate '22P02' then
    return 'key';
  when integrity_constraint_violation then
  when others then
    raise notice '% %', sqlerrm, sqlstate;
    return 'other';
end $$;
select handlers();
create function nested() returns void language plpgsql as $$
begin
  begin
    perform 1;
  exception when others then
    begin
      perform sqlerrm;
    exception when no_data_found or too_many_rows then
      null;
    end;
  end;
exception when query_canceled or assert_failure then null;
end $$;
select nested();
create function names_for_several_codes() returns void language plpgsql as $$
begin
  null;
exception
  when null_value_not_allowed or modifying_sql_data_not_permitted then null;
  when "others" then null;
  when string_data_right_truncation then null;
end $$;
select names_for_several_codes();
create function variables_are_seen_in_handlers(sqlstate integer) returns text language plpgsql as $$
declare
  others text;
begin
  sqlstate := 1;
exception when others then
  return sqlstate;
end $$;
select variables_are_seen_in_handlers(2);
select variables_are_seen_in_handlers(0);
select variables_are_seen_in_handlers(null);
create function in_loop() returns void language plpgsql as $$
begin
  for i in 1..3 loop
    begin
      perform 1 / i;
    exception when division_by_zero then
      continue;
    end;
  end loop;
end $$;
select in_loop();
create function variable_called_exception(exception integer) returns void language plpgsql as $$
begin
  exception := 3;
exception when others then null;
end $$;
select variable_called_exception(2);
select variable_called_exception(0);
select variable_called_exception(null);
