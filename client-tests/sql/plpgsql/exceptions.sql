-- file: message detail hint context objects notices
-- Exception blocks: what they catch, what is rolled back, GET STACKED DIAGNOSTICS.
create schema ple;
set search_path = ple, public;
create table t (id int primary key, v text, n int check (n > 0));
insert into t values (1, 'one', 1);
create function caught(a int) returns text language plpgsql as $$
begin
  return 10 / a;
exception
  when division_by_zero then
    return 'caught ' || sqlstate || ': ' || sqlerrm;
end $$;
select caught(5), caught(0), caught(null);
create function not_caught(a int) returns text language plpgsql as $$
begin
  return 10 / a;
exception
  when unique_violation then
    return 'caught';
end $$;
select not_caught(1);
select not_caught(0);
create function others_caught(q text) returns text language plpgsql as $$
begin
  execute q;
  return 'fine';
exception
  when others then
    return sqlstate || ' ' || sqlerrm;
end $$;
select others_caught('select 1');
select others_caught('select 1 / 0');
select others_caught('insert into t values (1)');
select others_caught('insert into t values (2, ''x'', -1)');
select others_caught('insert into t values (null)');
select others_caught('select nosuch');
select others_caught('selec');
select others_caught('select * from nosuch');
select others_caught('select ''x''::int');
select others_caught('select 2147483647 + 1');
select others_caught('select nosuch()');
select others_caught('select ''abcd''::varchar(2)::int');
select others_caught(null);
create function by_name(n int) returns text language plpgsql as $$
begin
  case n
    when 1 then perform 1 / 0;
    when 2 then insert into t values (1, 'again', 1);
    when 3 then insert into t values (2, 'x', -5);
    when 4 then insert into t values (null, 'x', 1);
    when 5 then perform 'x'::int;
    when 6 then perform 2147483647 + n;
    when 7 then execute 'select nosuch';
    when 8 then execute 'select from nosuch';
    when 9 then raise exception 'mine';
    when 10 then raise exception sqlstate '77777';
    else null;
  end case;
  return 'fine';
exception
  when division_by_zero then return 'division';
  when unique_violation then return 'unique';
  when check_violation then return 'check';
  when not_null_violation then return 'not null';
  when invalid_text_representation then return 'text';
  when numeric_value_out_of_range then return 'range';
  when undefined_column or undefined_table then return 'undefined ' || sqlstate;
  when raise_exception then return 'raised ' || sqlerrm;
  when sqlstate '77777' then return 'state ' || sqlerrm;
end $$;
select n, by_name(n) from generate_series(0, 10) n order by n;
create function by_class(n int) returns text language plpgsql as $$
begin
  if n = 1 then perform 1 / 0; end if;
  if n = 2 then insert into t values (1); end if;
  if n = 3 then perform 'x'::date; end if;
  return 'fine';
exception
  when integrity_constraint_violation then return 'integrity ' || sqlstate;
  when data_exception then return 'data ' || sqlstate;
end $$;
select by_class(0), by_class(1), by_class(2), by_class(3);
create function by_state_class(n int) returns text language plpgsql as $$
begin
  if n = 1 then perform 1 / 0; end if;
  return 'fine';
exception
  when sqlstate '22000' then return 'class ' || sqlstate;
end $$;
select by_state_class(0), by_state_class(1);
create function first_handler_wins() returns text language plpgsql as $$
begin
  perform 1 / 0;
exception
  when others then return 'others';
  when division_by_zero then return 'division';
end $$;
select first_handler_wins();
create function several_conditions(n int) returns text language plpgsql as $$
begin
  if n = 1 then perform 1 / 0; elsif n = 2 then perform 'x'::int; elsif n = 3 then raise exception sqlstate 'ABCDE'; elsif n = 4 then raise exception 'x'; end if;
  return 'none';
exception
  when division_by_zero or invalid_text_representation or sqlstate 'ABCDE' then
    return 'one of three: ' || sqlstate;
end $$;
select several_conditions(0), several_conditions(1), several_conditions(2), several_conditions(3);
select several_conditions(4);
create function unknown_condition() returns int language plpgsql as $$ begin return 1; exception when nosuch then return 2; end $$;
create function changes_undone(k int, fail boolean) returns text language plpgsql as $$
begin
  insert into t values (k, 'before', 1);
  begin
    insert into t values (k + 1, 'within', 1);
    update t set v = v || '!' where id >= k;
    if fail then raise exception 'undo'; end if;
  exception
    when others then
      insert into t values (k + 2, 'handler', 1);
  end;
  insert into t values (k + 3, 'after', 1);
  return 'done';
end $$;
select changes_undone(10, false);
select changes_undone(20, true);
select * from t order by id;
delete from t where id >= 10;
create function variables_stay(a int) returns text language plpgsql as $$
declare
  x int := 0;
  r record;
  s text[] := '{}';
begin
  begin
    x := 1;
    s := s || 'a'::text;
    select 1 as f into r;
    x := x + 10 / a;
    x := 100;
  exception
    when division_by_zero then
      s := s || 'handler'::text;
  end;
  return x || ' ' || r.f || ' ' || s::text;
end $$;
select variables_stay(5), variables_stay(0);
create function handler_sees_local(a int) returns text language plpgsql as $$
declare
  outside int := 1;
begin
  declare
    inside int := 2;
  begin
    inside := 3;
    outside := 10 / a;
  exception
    when others then
      inside := inside + 1;
      return 'inside ' || inside || ' outside ' || outside;
  end;
  return 'no error';
end $$;
select handler_sees_local(1), handler_sees_local(0);
create function error_in_declare(a int) returns text language plpgsql as $$
declare
  x int := 10 / a;
begin
  return x;
exception
  when others then return 'caught ' || coalesce(x::text, 'unset');
end $$;
select error_in_declare(2);
select error_in_declare(0);
create function error_in_inner_declare(a int) returns text language plpgsql as $$
begin
  declare
    x int := 10 / a;
  begin
    return x;
  exception when others then return 'inner';
  end;
exception
  when others then return 'outer';
end $$;
select error_in_inner_declare(2), error_in_inner_declare(0);
create function error_in_handler(a int) returns text language plpgsql as $$
begin
  begin
    perform 1 / a;
  exception
    when division_by_zero then
      perform 'x'::int;
  end;
  return 'fine';
end $$;
select error_in_handler(1);
select error_in_handler(0);
create function error_in_handler_caught() returns text language plpgsql as $$
begin
  begin
    insert into t values (100, 'first', 1);
    perform 1 / 0;
  exception
    when division_by_zero then
      insert into t values (101, 'handler', 1);
      perform 'x'::int;
  end;
  return 'fine';
exception
  when others then
    return sqlstate || (select count(*) from t where id >= 100);
end $$;
select error_in_handler_caught();
create function nested_levels(n int) returns text language plpgsql as $$
declare
  trail text := '';
begin
  begin
    begin
      begin
        trail := trail || '1';
        case n when 1 then perform 1 / 0; when 2 then perform 'x'::int; when 3 then raise 'three'; when 4 then raise sqlstate '44444'; else null; end case;
        trail := trail || '2';
      exception when division_by_zero then trail := trail || 'A';
      end;
      trail := trail || '3';
    exception when invalid_text_representation then trail := trail || 'B';
    end;
    trail := trail || '4';
  exception when raise_exception then trail := trail || 'C';
  end;
  return trail || '5';
exception when others then
  return trail || 'D';
end $$;
select nested_levels(0), nested_levels(1), nested_levels(2), nested_levels(3), nested_levels(4);
create function nested_undone() returns text language plpgsql as $$
begin
  insert into t values (30, 'outer', 1);
  begin
    insert into t values (31, 'middle', 1);
    begin
      insert into t values (32, 'inner', 1);
      perform 1 / 0;
    exception when others then
      insert into t values (33, 'inner handler', 1);
    end;
    insert into t values (34, 'middle again', 1);
    perform 'x'::int;
  exception when others then
    insert into t values (35, 'middle handler', 1);
  end;
  return (select string_agg(v, ', ' order by id) from t where id >= 30);
end $$;
select nested_undone();
select * from t order by id;
delete from t where id >= 10;
create function inner_kept_outer_undone() returns text language plpgsql as $$
begin
  begin
    begin
      insert into t values (40, 'inner', 1);
    exception when others then null;
    end;
    perform 1 / 0;
  exception when others then null;
  end;
  return (select count(*) from t where id = 40);
end $$;
select inner_kept_outer_undone();
create function return_from_block(a int) returns text language plpgsql as $$
begin
  begin
    insert into t values (50 + a, 'returned', 1);
    return 'within ' || 10 / a;
  exception when division_by_zero then
    return 'handler';
  end;
end $$;
select return_from_block(1), return_from_block(0);
select id from t where id >= 50 order by id;
delete from t where id >= 10;
create function exit_from_block(n int) returns text language plpgsql as $$
declare
  trail text := '';
begin
  for i in 1 .. n loop
    begin
      insert into t values (60 + i, 'loop', 1);
      continue when i = 2;
      exit when i = 4;
      if i = 3 then raise 'three'; end if;
      trail := trail || i;
    exception when raise_exception then
      trail := trail || 'E';
      continue;
    end;
    trail := trail || '.';
  end loop;
  return trail;
end $$;
select exit_from_block(2), 1;
delete from t where id >= 10;
select exit_from_block(6);
select id from t where id >= 60 order by id;
delete from t where id >= 10;
create function retry_until(n int) returns text language plpgsql as $$
declare
  tries int := 0;
begin
  loop
    tries := tries + 1;
    begin
      if tries < n then
        raise exception 'not yet' using errcode = '40001';
      end if;
      return 'after ' || tries;
    exception when serialization_failure then
      null;
    end;
  end loop;
end $$;
select retry_until(1), retry_until(5), retry_until(100);
create function upsert(k int, w text) returns text language plpgsql as $$
begin
  loop
    update t set v = w where id = k;
    if found then return 'updated'; end if;
    begin
      insert into t values (k, w, 1);
      return 'inserted';
    exception when unique_violation then
      null;
    end;
  end loop;
end $$;
select upsert(70, 'a');
select upsert(70, 'b');
select * from t where id = 70;
delete from t where id >= 10;
create function found_after_handler() returns text language plpgsql as $$
declare
  a text;
begin
  perform 1;
  a := found;
  begin
    perform 1 where false;
    perform 1 / 0;
  exception when others then
    a := a || found;
  end;
  return a || found;
end $$;
select found_after_handler();
create function state_outside_of_handler() returns text language plpgsql as $$
begin
  return sqlstate;
end $$;
select state_outside_of_handler();
create function state_after_handler() returns text language plpgsql as $$
declare
  a text;
begin
  begin
    perform 1 / 0;
  exception when others then
    a := sqlstate;
    begin
      perform 'x'::int;
    exception when others then
      a := a || ',' || sqlstate;
    end;
    a := a || ',' || sqlstate || ',' || sqlerrm;
  end;
  return a;
end $$;
select state_after_handler();
create function state_assigned() returns text language plpgsql as $$
begin
  perform 1 / 0;
exception when others then
  sqlerrm := 'mine';
  return sqlerrm;
end $$;
create function stacked() returns text language plpgsql as $$
declare
  a text; b text; c text; d text; e text; f text; g text; h text; i text; j text;
begin
  raise exception 'the message' using errcode = '12345', detail = 'the detail', hint = 'the hint',
    column = 'col', constraint = 'con', datatype = 'typ', table = 'tab', schema = 'sch';
exception
  when others then
    get stacked diagnostics a = returned_sqlstate, b = message_text, c = pg_exception_detail, d = pg_exception_hint, e = pg_exception_context,
      f = column_name, g = constraint_name, h = pg_datatype_name, i = table_name, j = schema_name;
    return concat_ws('|', a, b, c, d, e, f, g, h, i, j);
end $$;
select stacked();
create function stacked_of_constraint(k int, m int) returns text language plpgsql as $$
declare
  a text; b text; c text; d text; e text; f text;
begin
  insert into t values (k, 'x', m);
  return 'fine';
exception
  when integrity_constraint_violation then
    get stacked diagnostics a = schema_name, b := table_name, c = column_name, d = constraint_name, e = pg_exception_detail, f = pg_datatype_name;
    return concat_ws('|', sqlstate, a, b, c, d, e, f);
end $$;
select stacked_of_constraint(1, 1);
select stacked_of_constraint(90, -1);
select stacked_of_constraint(null, 1);
create function stacked_empty() returns text language plpgsql as $$
declare
  a text := 'x'; b text := 'x';
begin
  perform 1 / 0;
exception
  when others then
    get stacked diagnostics a = pg_exception_detail, b = constraint_name;
    return '<' || a || '><' || b || '>';
end $$;
select stacked_empty();
create function stacked_outside() returns text language plpgsql as $$
declare
  a text;
begin
  get stacked diagnostics a = message_text;
  return a;
end $$;
select stacked_outside();
create function raises(n int) returns int language plpgsql as $$
declare
  m int := 5;
begin
  m := m / n;
  return m;
end $$;
create function calls_raises(n int) returns int language plpgsql as $$
begin
  return raises(n - 2) + 1;
end $$;
create function stacked_context() returns text language plpgsql as $$
declare
  c text;
begin
  perform calls_raises(2);
exception
  when others then
    get stacked diagnostics c = pg_exception_context;
    return c;
end $$;
select stacked_context();
create function stacked_into_element() returns text language plpgsql as $$
declare
  arr text[];
begin
  perform 1 / 0;
exception
  when others then
    get stacked diagnostics arr[2] = message_text;
    return arr[2];
end $$;
create function stacked_into_others() returns text language plpgsql as $$
declare
  code char(5);
  msg varchar(20);
begin
  perform 1 / 0;
exception
  when others then
    get stacked diagnostics code = returned_sqlstate, msg = message_text;
    return code || msg;
end $$;
select stacked_into_others();
create function query_canceled_not_others() returns text language plpgsql as $$
begin
  raise query_canceled;
exception when others then return 'caught';
end $$;
select query_canceled_not_others();
create function query_canceled_by_name() returns text language plpgsql as $$
begin
  raise query_canceled using message = 'stop';
exception when query_canceled then return 'caught ' || sqlerrm;
end $$;
select query_canceled_by_name();
create function calls_failing(a int) returns text language plpgsql as $$
begin
  return 'got ' || not_caught(a);
exception
  when division_by_zero then return 'outer caught';
end $$;
select calls_failing(2), calls_failing(0);
create function writes_and_fails(k int) returns void language plpgsql as $$
begin
  insert into t values (k, 'called', 1);
  raise exception 'after writing %', k;
end $$;
create function undoes_called() returns bigint language plpgsql as $$
begin
  begin
    perform writes_and_fails(200);
  exception when others then
    raise notice '%', sqlerrm;
  end;
  return (select count(*) from t where id = 200);
end $$;
select undoes_called();
select writes_and_fails(201);
select count(*) from t where id >= 200;
begin;
insert into t values (300, 'transaction', 1);
select undoes_called();
select others_caught('insert into t values (300)');
select id from t where id >= 200 order by id;
savepoint a;
select writes_and_fails(301);
select 1;
rollback to a;
select id from t where id >= 200 order by id;
commit;
select id from t where id >= 200 order by id;
create function partial_rows(k int) returns text language plpgsql as $$
declare
  good int := 0;
  bad int := 0;
begin
  for i in 1 .. k loop
    begin
      insert into t values (400 + i, 'x', (i % 3));
      good := good + 1;
    exception when check_violation then
      bad := bad + 1;
    end;
  end loop;
  return good || ' ' || bad;
end $$;
select partial_rows(10);
select count(*), sum(n) from t where id > 400;
create function many_blocks(k int) returns int language plpgsql as $$
declare
  c int := 0;
begin
  for i in 1 .. k loop
    begin
      c := c + 10 / (i % 5);
    exception when division_by_zero then
      c := c + 1000;
    end;
  end loop;
  return c;
end $$;
select many_blocks(5), many_blocks(500);
create function table_in_block() returns text language plpgsql as $$
declare
  n int;
begin
  begin
    create table made_within (a int);
    insert into made_within values (1), (2);
    perform 1 / 0;
  exception when division_by_zero then
    null;
  end;
  return to_regclass('made_within')::text;
end $$;
select table_in_block();
create function sequence_not_undone() returns bigint language plpgsql as $$
begin
  begin
    perform nextval('counted');
    perform nextval('counted');
    perform 1 / 0;
  exception when others then null;
  end;
  return nextval('counted');
end $$;
create sequence counted;
select sequence_not_undone();
create function setting_undone() returns text language plpgsql as $$
begin
  perform set_config('plx.a', 'before', false);
  begin
    perform set_config('plx.a', 'within', false);
    perform 1 / 0;
  exception when others then null;
  end;
  return current_setting('plx.a');
end $$;
select setting_undone();
create function set_returning_undone() returns setof int language plpgsql as $$
begin
  return next 1;
  begin
    return next 2;
    perform 1 / 0;
  exception when others then
    return next 3;
  end;
  return next 4;
end $$;
select * from set_returning_undone();
create function ends_in_handler(a int) returns int language plpgsql as $$
begin
  return 1 / a;
exception when others then
  raise notice 'no return here';
end $$;
select ends_in_handler(1);
select ends_in_handler(0);
