-- file: message detail hint context objects notices
-- IF and CASE.
create schema plc;
set search_path = plc, public;
create function sign_of(a int) returns text language plpgsql as $$
begin
  if a > 0 then
    return 'positive';
  elsif a < 0 then
    return 'negative';
  elseif a = 0 then
    return 'zero';
  else
    return 'unknown';
  end if;
end $$;
select sign_of(5), sign_of(-5), sign_of(0), sign_of(null);
create function only_if(a int) returns text language plpgsql as $$
declare
  t text := 'no';
begin
  if a = 1 then
    t := 'yes';
  end if;
  return t;
end $$;
select only_if(1), only_if(2), only_if(null);
create function if_else(a boolean) returns text language plpgsql as $$
begin
  if a then return 'true'; else return 'not true'; end if;
end $$;
select if_else(true), if_else(false), if_else(null);
create function not_null_condition(a boolean) returns text language plpgsql as $$
begin
  if not a then return 'false'; else return 'not false'; end if;
end $$;
select not_null_condition(true), not_null_condition(false), not_null_condition(null);
create function nested_if(a int, b int) returns text language plpgsql as $$
begin
  if a > b then
    if a > 10 then
      return 'large a';
    else
      if b < 0 then return 'negative b'; end if;
    end if;
  else
    if a = b then return 'equal'; end if;
  end if;
  return 'rest';
end $$;
select a, b, nested_if(a, b) from (values (11, 1), (5, -1), (5, 1), (3, 3), (1, 2), (null, 1)) as t (a, b) order by a, b;
create function many_branches(a int) returns text language plpgsql as $$
begin
  if a = 1 then return 'one';
  elsif a = 2 then return 'two';
  elsif a = 3 then return 'three';
  elsif a between 4 and 6 then return 'some';
  elsif a in (7, 9) then return 'odd';
  elsif a is null then return 'null';
  end if;
  return 'none';
end $$;
select a, many_branches(a) from generate_series(0, 10) a order by a;
select many_branches(null);
create function empty_branches(a int) returns int language plpgsql as $$
begin
  if a = 1 then
  elsif a = 2 then
  else
  end if;
  return a;
end $$;
select empty_branches(1), empty_branches(2), empty_branches(3);
create function condition_as_text(a text) returns text language plpgsql as $$
begin
  if a then return 'then'; else return 'else'; end if;
end $$;
select condition_as_text('t'), condition_as_text('no'), condition_as_text(null);
select condition_as_text('x');
create function condition_as_int(a int) returns text language plpgsql as $$
begin
  if a then return 'then'; else return 'else'; end if;
end $$;
select condition_as_int(1), condition_as_int(0), condition_as_int(null);
create function condition_as_date() returns text language plpgsql as $$
begin
  if date '2020-01-01' then return 'then'; end if;
  return 'after';
end $$;
select condition_as_date();
create function condition_fails(a int) returns text language plpgsql as $$
begin
  if a > 5 then
    return 'large';
  elsif 10 / a > 3 then
    return 'small';
  end if;
  return 'middle';
end $$;
select condition_fails(6), condition_fails(1), condition_fails(5);
select condition_fails(0);
create table t (a int, b text);
insert into t values (1, 'x'), (2, 'y'), (2, 'z');
create function condition_by_query(k int) returns text language plpgsql as $$
begin
  if exists (select 1 from t where a = k) then
    return 'there';
  elsif (select count(*) from t) > k then
    return 'fewer';
  end if;
  return 'no';
end $$;
select condition_by_query(1), condition_by_query(0), condition_by_query(7), condition_by_query(null);
create function condition_of_several_rows() returns text language plpgsql as $$
begin
  if (select b from t where a = 2) = 'y' then
    return 'y';
  end if;
  return 'no';
end $$;
select condition_of_several_rows();
create function condition_from_table() returns text language plpgsql as $$
begin
  if count(*) > 2 from t then
    return 'many';
  end if;
  return 'few';
end $$;
select condition_from_table();
create function lazily(a int) returns boolean language plpgsql as $$
begin
  if a = 0 or 10 / a > 1 then return true; end if;
  return false;
end $$;
select lazily(1), lazily(10), lazily(null);
create function simple_case(a int) returns text language plpgsql as $$
begin
  case a
    when 1 then
      return 'one';
    when 2, 3 then
      return 'two or three';
    when 4, 5, 6 then
      return 'more';
    else
      return 'other';
  end case;
end $$;
select a, simple_case(a) from generate_series(0, 7) a order by a;
select simple_case(null);
create function case_without_else(a int) returns text language plpgsql as $$
begin
  case a
    when 1 then return 'one';
    when 2 then return 'two';
  end case;
  return 'after';
end $$;
select case_without_else(1), case_without_else(2);
select case_without_else(3);
select case_without_else(null);
create function case_with_empty_else(a int) returns text language plpgsql as $$
begin
  case a when 1 then return 'one'; else end case;
  return 'after';
end $$;
select case_with_empty_else(1), case_with_empty_else(2);
create function case_of_text(a text) returns int language plpgsql as $$
begin
  case lower(a)
    when 'a', 'b' then return 1;
    when 'c' || 'd' then return 2;
    when a then return 3;
    else return 4;
  end case;
end $$;
select case_of_text('A'), case_of_text('b'), case_of_text('CD'), case_of_text('z'), case_of_text('Z'), case_of_text(null);
create function case_of_changing_types(a numeric) returns text language plpgsql as $$
begin
  case a
    when 1 then return 'one';
    when 1.5 then return 'one and a half';
    when 2e0 then return 'two';
    else return 'else';
  end case;
end $$;
select case_of_changing_types(1.0), case_of_changing_types(1.50), case_of_changing_types(2), case_of_changing_types(3);
create function searched_case(a int, b text) returns text language plpgsql as $$
begin
  case
    when a > 10 then
      return 'large';
    when a is null or b is null then
      return 'null';
    when b like 'x%' then
      return 'x';
  end case;
  return 'after';
end $$;
select searched_case(11, null), searched_case(1, null), searched_case(null, 'x'), searched_case(1, 'xyz');
select searched_case(1, 'abc');
create function searched_case_else(a int) returns text language plpgsql as $$
declare
  t text;
begin
  case
    when a = 1 then t := 'one';
    when a = 2 then t := 'two'; t := t || '!';
    else t := 'other';
  end case;
  return t;
end $$;
select searched_case_else(1), searched_case_else(2), searched_case_else(3), searched_case_else(null);
create function case_not_found_caught(a int) returns text language plpgsql as $$
begin
  case a when 1 then return 'one'; end case;
exception
  when case_not_found then
    return 'caught ' || sqlstate || ' ' || sqlerrm;
end $$;
select case_not_found_caught(1), case_not_found_caught(2);
create function nested_case(a int, b int) returns text language plpgsql as $$
begin
  case a
    when 1 then
      case b when 1 then return '1-1'; when 2 then return '1-2'; else null; end case;
    when 2 then
      case when b > 1 then return '2-large'; else return '2-small'; end case;
    else null;
  end case;
  return 'after';
end $$;
select nested_case(1, 1), nested_case(1, 2), nested_case(1, 3), nested_case(2, 5), nested_case(2, 0), nested_case(3, 3);
create function case_operand_once() returns text language plpgsql as $$
declare
  n int;
begin
  create temp sequence case_calls;
  case nextval('case_calls')
    when 5 then null;
    when 3 then null;
    when 1 then null;
  end case;
  n := currval('case_calls');
  drop sequence case_calls;
  return 'called ' || n;
end $$;
select case_operand_once();
create function case_fails(a int) returns text language plpgsql as $$
begin
  case 10 / a
    when 1 then return 'one';
    when 10 / (a - 1) then return 'two';
    else return 'else';
  end case;
end $$;
select case_fails(10), case_fails(5);
select case_fails(0);
select case_fails(1);
create function case_types_do_not_meet(a int) returns text language plpgsql as $$
begin
  case a when date '2020-01-01' then return 'one'; else return 'else'; end case;
end $$;
select case_types_do_not_meet(1);
create function case_unknown_text(a int) returns text language plpgsql as $$
begin
  case a when '1' then return 'one'; when 'x' then return 'x'; else return 'else'; end case;
end $$;
select case_unknown_text(1);
select case_unknown_text(2);
create function in_case_expression(a int) returns text language plpgsql as $$
begin
  return case a when 1 then 'one' when 2 then case when a = 2 then 'two' end end;
end $$;
select in_case_expression(1), in_case_expression(2), in_case_expression(3);
create function fizz(n int) returns text language plpgsql as $$
begin
  if n % 15 = 0 then return 'fizzbuzz';
  elsif n % 5 = 0 then return 'buzz';
  elsif n % 3 = 0 then return 'fizz';
  else return n;
  end if;
end $$;
select string_agg(fizz(n), ' ' order by n) from generate_series(1, 15) n;
create function leap(y int) returns boolean language plpgsql as $$
begin
  if y % 400 = 0 then return true; end if;
  if y % 100 = 0 then return false; end if;
  return y % 4 = 0;
end $$;
select leap(1900), leap(2000), leap(2023), leap(2024);
select y from generate_series(1996, 2012) y where leap(y) order by y;
create function grade(points numeric) returns char language plpgsql as $$
begin
  case
    when points >= 90 then return 'A';
    when points >= 75 then return 'B';
    when points >= 50 then return 'C';
    when points >= 0 then return 'F';
  end case;
end $$;
select grade(95), grade(89.999), grade(50), grade(0);
select grade(-1);
select grade(null);
create function if_in_loop(n int) returns text language plpgsql as $$
declare
  evens text := '';
  odds text := '';
begin
  for i in 1 .. n loop
    if i % 2 = 0 then
      evens := evens || i;
    else
      odds := odds || i;
    end if;
  end loop;
  return evens || '/' || odds;
end $$;
select if_in_loop(9);
