-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/branches.sql that are taken, called.
create schema pc_branches;
set search_path = pc_branches, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
create function ifs(a integer) returns text language plpgsql as $$
begin
  if a > 0 then
    return 'positive';
  end if;
  if a < -10 then
    null;
  elsif a < -5 then
    return 'low';
  elseif a < -2 then
  else
    return 'high';
  end if;
  if a = 1 then if a = 2 then null; end if; else null; end if;
  if exists (select from items where id = a) and not (a = any (array[1, 2])) then
    return 'x';
  end if;
  if count(*) > 0 from items then
    return 'y';
  end if;
  return case when a > 0 then 'then' else 'else' end;
end $$;
select ifs(2);
select ifs(0);
select ifs(null);
create function searched_case(a integer) returns text language plpgsql as $$
begin
  case
    when a = 1 then
      return 'one';
    when a = 2 or a = 3 then
    else
      return 'many';
  end case;
  case when a is null then null; end case;
  return null;
end $$;
select searched_case(2);
select searched_case(0);
select searched_case(null);
create function simple_case(a text) returns text language plpgsql as $$
begin
  case a || 'x'
    when 'ax', 'bx' then
      return 'first';
    when lower('CX') then
      return 'second';
    else
  end case;
  case (case when a = 'y' then 1 end)
    when 1 then return 'nested';
  end case;
  return null;
end $$;
select simple_case('a');
select simple_case('1');
select simple_case(null);
