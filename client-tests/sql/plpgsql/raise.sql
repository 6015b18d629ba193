-- file: message detail hint context objects notices
-- RAISE: levels, formats, options, condition names, raising again.
create schema plx;
set search_path = plx, public;
set client_min_messages = debug1;
create function levels(a int) returns void language plpgsql as $$
begin
  raise debug 'debug %', a;
  raise log 'log %', a;
  raise info 'info %', a;
  raise notice 'notice %', a;
  raise warning 'warning %', a;
end $$;
select levels(1);
set client_min_messages = warning;
select levels(2);
set client_min_messages = error;
select levels(3);
set client_min_messages = notice;
select levels(4);
create function raised(t text) returns void language plpgsql as $$ begin raise exception 'it is %', t; end $$;
select raised('bad');
select raised(null);
create function raise_without_level(t text) returns void language plpgsql as $$ begin raise 'it is %!', t; end $$;
select raise_without_level('worse');
create function formats(a int, b text, c numeric) returns void language plpgsql as $$
begin
  raise notice 'no parameters';
  raise notice '%', a;
  raise notice '% %, %.', a, b, c;
  raise notice '100%% of %', a;
  raise notice '%%', a + 1;
  raise notice '%%%', a;
  raise notice '<%>', a + 1;
  raise notice '<%> <%>', array[a, a], row(a, b);
  raise notice '%', (select count(*) from generate_series(1, 3));
  raise notice 'quote '' and " %', b || '''';
  raise notice E'tab\tline\n%', b;
end $$;
create or replace function formats(a int, b text, c numeric) returns void language plpgsql as $$
begin
  raise notice 'no parameters';
  raise notice '%', a;
  raise notice '% %, %.', a, b, c;
  raise notice '100%% of %', a;
  raise notice '%%';
  raise notice '%%%', a;
  raise notice '<%>', a + 1;
  raise notice '<%> <%>', array[a, a], row(a, b);
  raise notice '%', (select count(*) from generate_series(1, 3));
  raise notice 'quote '' and " %', b || '''';
  raise notice E'tab\tline\n%', b;
  raise notice $q$dollar % quoted$q$, c;
  raise notice '';
end $$;
select formats(1, 'x', 2.50);
select formats(null, null, null);
create function too_few_parameters() returns void language plpgsql as $$ begin raise notice '% %', 1; end $$;
create function too_many_parameters() returns void language plpgsql as $$ begin raise notice '%', 1, 2; end $$;
create function types_shown() returns void language plpgsql as $$
begin
  raise notice '% % % % %', true, date '2020-01-01', 1.50::numeric(5,2), 'x'::char(3), interval '90 minutes';
  raise notice '% % % %', '{"a": 1}'::json, '\x01ff'::bytea, 1e10::float8, timestamp '2020-01-01 10:00';
  raise notice '% %', null, array['a b', null];
end $$;
select types_shown();
create function parameter_fails(a int) returns void language plpgsql as $$
begin
  raise notice 'result %', 10 / a;
end $$;
select parameter_fails(5);
select parameter_fails(0);
create function with_options() returns void language plpgsql as $$
begin
  raise exception 'message %', 1 using errcode = '22012', detail = 'the detail', hint = 'the hint';
end $$;
select with_options();
create function all_options() returns void language plpgsql as $$
begin
  raise exception using message = 'a message', errcode = 'unique_violation', detail = 'd', hint = 'h',
    column = 'c', constraint = 'k', datatype = 't', table = 'tab', schema = 's';
end $$;
select all_options();
create function options_of_notice() returns void language plpgsql as $$
begin
  raise notice 'notice' using detail = 'd', hint = 'h', errcode = '12345', table = 'tab', column = 'c';
  raise warning using message = 'from ' || 'options', hint = 'h' || 1;
  raise info 'info' using errcode = 'check_violation';
end $$;
select options_of_notice();
create function options_computed(a int, b text) returns void language plpgsql as $$
begin
  raise exception 'x' using errcode = 'P' || lpad(a::text, 4, '0'), hint = upper(b), detail = a + 1;
end $$;
select options_computed(7, 'abc');
select options_computed(77, 'xyz');
create function option_null() returns void language plpgsql as $$ begin raise exception 'x' using detail = null; end $$;
select option_null();
create function message_null() returns void language plpgsql as $$ begin raise exception using message = null; end $$;
select message_null();
create function errcode_null() returns void language plpgsql as $$ begin raise exception 'x' using errcode = null; end $$;
select errcode_null();
create function errcode_unknown(c text) returns void language plpgsql as $$ begin raise exception 'x' using errcode = c; end $$;
select errcode_unknown('nosuch');
select errcode_unknown('division_by_zero');
select errcode_unknown('00000');
select errcode_unknown('22012');
select errcode_unknown('2201');
select errcode_unknown('abcde');
select errcode_unknown('ABCDE');
create function option_twice() returns void language plpgsql as $$ begin raise exception 'x' using hint = 'a', hint = 'b'; end $$;
select option_twice();
create function message_twice() returns void language plpgsql as $$ begin raise exception 'x' using message = 'a'; end $$;
select message_twice();
create function errcode_twice() returns void language plpgsql as $$ begin raise division_by_zero using errcode = '12345'; end $$;
select errcode_twice();
create function option_unknown() returns void language plpgsql as $$ begin raise exception 'x' using nosuch = 'a'; end $$;
create function option_fails(a int) returns void language plpgsql as $$ begin raise exception 'x' using detail = 1 / a; end $$;
select option_fails(1);
select option_fails(0);
create function by_condition() returns void language plpgsql as $$ begin raise division_by_zero; end $$;
select by_condition();
create function by_condition_message() returns void language plpgsql as $$ begin raise unique_violation using message = 'twice', constraint = 'k'; end $$;
select by_condition_message();
create function by_state() returns void language plpgsql as $$ begin raise sqlstate '45000'; end $$;
select by_state();
create function by_state_options() returns void language plpgsql as $$ begin raise exception sqlstate '45000' using message = 'forty-five', hint = 'h'; end $$;
select by_state_options();
create function by_state_warning() returns void language plpgsql as $$ begin raise warning sqlstate '01234' using message = 'w'; raise notice division_by_zero; raise info sqlstate 'AB123'; end $$;
select by_state_warning();
create function by_unknown_condition() returns void language plpgsql as $$ begin raise nosuch_condition; end $$;
create function by_bad_state() returns void language plpgsql as $$ begin raise sqlstate '4500'; end $$;
create function by_condition_class() returns void language plpgsql as $$ begin raise data_exception; end $$;
select by_condition_class();
create function plpgsql_conditions(n int) returns void language plpgsql as $$
begin
  case n
    when 1 then raise raise_exception;
    when 2 then raise no_data_found;
    when 3 then raise too_many_rows;
    when 4 then raise assert_failure;
    when 5 then raise query_canceled;
    when 6 then raise case_not_found;
    when 7 then raise serialization_failure;
    when 8 then raise insufficient_privilege;
    when 9 then raise internal_error;
    when 10 then raise feature_not_supported;
    when 11 then raise invalid_text_representation using message = 'text';
  end case;
end $$;
select plpgsql_conditions(1);
select plpgsql_conditions(2);
select plpgsql_conditions(3);
select plpgsql_conditions(4);
select plpgsql_conditions(5);
select plpgsql_conditions(6);
select plpgsql_conditions(7);
select plpgsql_conditions(8);
select plpgsql_conditions(9);
select plpgsql_conditions(10);
select plpgsql_conditions(11);
create function again(a int) returns int language plpgsql as $$
begin
  return 10 / a;
exception
  when division_by_zero then
    raise notice 'caught %: %', sqlstate, sqlerrm;
    raise;
end $$;
select again(5);
select again(0);
create function again_all_fields() returns int language plpgsql as $$
begin
  raise exception 'first' using detail = 'd', hint = 'h', errcode = '12345', table = 'tab', column = 'c', schema = 's', constraint = 'k', datatype = 'dt';
exception
  when others then raise;
end $$;
select again_all_fields();
create function again_nested() returns text language plpgsql as $$
begin
  begin
    raise exception 'one' using errcode = '11111';
  exception when others then
    begin
      raise exception 'two' using errcode = '22222';
    exception when others then
      raise notice 'inner %', sqlerrm;
    end;
    raise notice 'outer %', sqlerrm;
    raise;
  end;
exception when others then
  return sqlstate || sqlerrm;
end $$;
select again_nested();
create function again_outside() returns void language plpgsql as $$ begin raise; end $$;
select again_outside();
create function helper_raises_again() returns void language plpgsql as $$ begin raise; end $$;
create function again_in_called() returns text language plpgsql as $$
begin
  raise exception 'original' using errcode = '33333';
exception when others then
  perform helper_raises_again();
  return 'not reached';
end $$;
select again_in_called();
create function wrapped(a int) returns int language plpgsql as $$
begin
  return 10 / a;
exception
  when division_by_zero then
    raise exception 'cannot divide by %', a using errcode = '22012', detail = sqlerrm, hint = 'use another number';
end $$;
select wrapped(2);
select wrapped(0);
create function notice_in_loop(n int) returns int language plpgsql as $$
begin
  for i in 1 .. n loop
    raise notice '% squared is %', i, i * i;
  end loop;
  return n;
end $$;
select notice_in_loop(3);
select notice_in_loop(0);
select notice_in_loop(g) from generate_series(1, 2) g;
create function notices_before_error() returns void language plpgsql as $$
begin
  raise notice 'before';
  raise exception 'error';
  raise notice 'after';
end $$;
select notices_before_error();
create function calls_one_that_notes() returns int language plpgsql as $$
declare
  n int;
begin
  n := notice_in_loop(1);
  perform notice_in_loop(1);
  select notice_in_loop(1) into n;
  return n;
end $$;
select calls_one_that_notes();
create function asserted(a int) returns int language plpgsql as $$
begin
  assert a > 0;
  return a;
end $$;
select asserted(1);
select asserted(0);
select asserted(null);
create function asserted_message(a int) returns int language plpgsql as $$
begin
  assert a > 0, 'a is ' || coalesce(a::text, 'unknown');
  return a;
end $$;
select asserted_message(1);
select asserted_message(-1);
select asserted_message(null);
create function asserted_null_message() returns int language plpgsql as $$ begin assert false, null; return 1; end $$;
select asserted_null_message();
create function assert_fails(a int) returns int language plpgsql as $$ begin assert 1 / a > 0, 'small'; return a; end $$;
select assert_fails(1);
select assert_fails(2);
select assert_fails(0);
create function assert_is_not_caught_by_others() returns text language plpgsql as $$
begin
  assert false, 'wrong';
  return 'passed';
exception
  when others then return 'caught';
end $$;
select assert_is_not_caught_by_others();
create function assert_caught_by_name() returns text language plpgsql as $$
begin
  assert false, 'wrong';
  return 'passed';
exception
  when assert_failure then return 'caught ' || sqlerrm || ' ' || sqlstate;
end $$;
select assert_caught_by_name();
set plpgsql.check_asserts = off;
select asserted(0), assert_fails(0);
set plpgsql.check_asserts = on;
select asserted(0);
