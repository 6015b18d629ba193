-- RAISE and ASSERT.

create function levels(a integer) returns void language plpgsql as $$
begin
  raise debug 'a';
  raise log 'a';
  raise info 'a %', a;
  raise notice 'a % of %', a, a + 1;
  raise warning '100 %%: %', (select max(id) from items);
  raise exception 'a';
  raise 'a';
end $$;

create function formats() returns void language plpgsql as $$
begin
  raise notice E'tab\t%', 1;
  raise notice $x$dollar %$x$, 2;
  raise notice 'it''s %%%', 3;
  raise notice 'two '
    'parts %', 4;
  raise notice '';
end $$;

create function conditions() returns void language plpgsql as $$
begin
  raise division_by_zero;
  raise exception unique_violation;
  raise notice no_data_found;
  raise sqlstate '22012';
  raise warning sqlstate 'U0001' using message = 'mine';
  raise "division_by_zero";
end $$;

create function options(a text) returns void language plpgsql as $$
begin
  raise 'a' using detail = 'b', hint = 'c', errcode = 'unique_violation';
  raise 'a %', a using column = 'c', constraint := 'd', datatype = 'e', table = 'f', schema = 'g';
  raise exception using message = 'x' || a, errcode = '22012';
  raise unique_violation using message = a;
  raise using message = a;
end $$;

create function again() returns void language plpgsql as $$
begin
  null;
exception
  when others then
    raise;
end $$;

create function words_are_variables(message text, notice text, hint text) returns void language plpgsql as $$
begin
  raise notice '%', notice using hint = hint;
  raise exception using message = message;
end $$;

create function asserts(a integer) returns void language plpgsql as $$
begin
  assert a > 0;
  assert a > 0, 'not positive: ' || a;
  assert exists (select from items), format('%s', a);
end $$;

-- fails
create function too_many() returns void language plpgsql as $$
begin
  raise notice 'a %',
    1, 2;
end $$;

-- fails
create function too_few() returns void language plpgsql as $$
declare
  a integer;
begin

  raise notice 'a % %', 1;
end $$;

-- fails
create function too_many_without_placeholder() returns void language plpgsql as $$
begin
  raise 'a %%', 1;
end $$;

-- fails
create function too_few_with_options() returns void language plpgsql as $$
begin
  raise 'a %' using hint = 'h';
end $$;

-- fails
create function unknown_condition() returns void language plpgsql as $$
begin
  null;
  raise nonsense;
end $$;

-- fails
create function condition_of_warning() returns void language plpgsql as $$
begin
  raise warning deprecated_feature;
end $$;

-- fails
create function short_code() returns void language plpgsql as $$
begin
  raise sqlstate '2201';
end $$;

-- fails
create function lower_code() returns void language plpgsql as $$
begin
  raise sqlstate 'abcde';
end $$;

-- fails
create function code_is_no_string() returns void language plpgsql as $$
begin
  raise sqlstate 22012;
end $$;

-- fails
create function level_alone() returns void language plpgsql as $$
begin
  raise notice;
end $$;

-- fails
create function unknown_level() returns void language plpgsql as $$
begin
  raise fatal 'a';
end $$;

-- fails
create function format_is_expression() returns void language plpgsql as $$
begin
  raise 'a' || 'b';
end $$;

-- fails
create function unknown_option() returns void language plpgsql as $$
begin
  raise 'a' using colour = 'red';
end $$;

-- fails
create function option_without_value() returns void language plpgsql as $$
begin
  raise 'a' using hint;
end $$;

-- fails
create function option_with_bad_value() returns void language plpgsql as $$
begin
  raise 'a' using hint = ;
end $$;

-- fails
create function options_unfinished() returns void language plpgsql as $$
begin
  raise 'a' using hint = 'b'$$;

-- fails
create function comma_missing() returns void language plpgsql as $$
begin
  raise 'a %' 1;
end $$;

-- fails
create function argument_missing() returns void language plpgsql as $$
begin
  raise 'a % %', 1, , 2;
end $$;

-- fails
create function condition_and_arguments() returns void language plpgsql as $$
begin
  raise division_by_zero, 1;
end $$;

-- fails
create function condition_with_dot() returns void language plpgsql as $$
begin
  raise a.b;
end $$;

-- fails
create function raise_at_end() returns void language plpgsql as $$
begin
  raise$$;

-- fails
create function arguments_at_end() returns void language plpgsql as $$
begin
  raise notice 'a %', 1$$;

-- fails
create function assert_without_condition() returns void language plpgsql as $$
begin
  assert;
end $$;

-- fails
create function assert_with_two_messages() returns void language plpgsql as $$
begin
  assert true, 'a', ;
end $$;
