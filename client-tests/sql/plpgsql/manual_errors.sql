-- file: message detail hint context objects notices
-- What the chapter of PostgreSQL's manual on PL/pgSQL shows of errors: EXCEPTION, GET STACKED DIAGNOSTICS, RAISE, ASSERT.
create schema pme;
set search_path = pme, public;
create table mytab (firstname text, lastname text);
create table db (a int primary key, b text);
create table constrained (k int primary key, v int check (v > 0), w text not null, u int unique);
create domain positive as int check (value > 0);
create function y_incremented(y int) returns text language plpgsql as $$
declare
  x int := 0;
begin
INSERT INTO mytab(firstname, lastname) VALUES('Tom', 'Jones');
BEGIN
    UPDATE mytab SET firstname = 'Joe' WHERE lastname = 'Jones';
    x := x + 1;
    y := x / y;
EXCEPTION
    WHEN division_by_zero THEN
        RAISE NOTICE 'caught division_by_zero';
        RETURN x;
END;
return 'fine';
end $$;
select y_incremented(0), y_incremented(1);
select firstname, count(*) from mytab group by 1 order by 1;
create function merge_db(key int, data text) returns void as
$$
BEGIN
    LOOP
        -- first try to update the key
        UPDATE db SET b = data WHERE a = key;
        IF found THEN
            RETURN;
        END IF;
        -- not there, so try to insert the key
        -- if someone else inserts the same key concurrently,
        -- we could get a unique-key failure
        BEGIN
            INSERT INTO db(a,b) VALUES (key, data);
            RETURN;
        EXCEPTION WHEN unique_violation THEN
            -- Do nothing, and loop to try the UPDATE again.
        END;
    END LOOP;
END;
$$
LANGUAGE plpgsql;
select merge_db(1, 'david');
select merge_db(1, 'dennis');
select * from db;
create function stacked(what text) returns text language plpgsql as $$
DECLARE
  a text; b text; c text; d text; e text; f text; g text; h text; i text; j text;
BEGIN
  case what
    when 'check' then insert into constrained values (1, -1, 'x', 1);
    when 'null' then insert into constrained values (1, 1, null, 1);
    when 'unique' then insert into constrained values (2, 1, 'x', 1), (2, 1, 'x', 2);
    when 'domain' then perform (-5)::positive;
    when 'raise' then raise exception using errcode = 'P1234', message = 'm', detail = 'd', hint = 'h', column = 'cn', constraint = 'co', datatype = 'dt', table = 't', schema = 's';
    when 'column' then perform nosuch from constrained;
    when 'table' then perform 1 from nosuch;
    when 'function' then perform nosuch(1);
    when 'text' then perform 'x'::int;
    when 'array' then perform (array[1])[1]::text::date;
    else raise 'unknown: %', what;
  end case;
  return 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS a = RETURNED_SQLSTATE, b = COLUMN_NAME, c = CONSTRAINT_NAME, d = PG_DATATYPE_NAME, e = MESSAGE_TEXT,
    f = TABLE_NAME, g = SCHEMA_NAME, h = PG_EXCEPTION_DETAIL, i = PG_EXCEPTION_HINT, j = PG_EXCEPTION_CONTEXT;
  return concat_ws('|', a, b, c, d, e, f, g, h, i, j) || sqlstate || sqlerrm;
END $$;
select stacked('check');
select stacked('null');
select stacked('unique');
select stacked('domain');
select stacked('raise');
select stacked('column');
select stacked('table');
select stacked('function');
select stacked('text');
select stacked('array');
select stacked('other');
create function raises(k int) returns int language plpgsql as $$
begin
  if k = 1 then raise exception 'Nonexistent ID --> %', k using hint = 'Please check your user ID'; end if;
  if k = 2 then raise 'Duplicate user ID: %', k using errcode = 'unique_violation'; end if;
  if k = 3 then raise 'Duplicate user ID: %', k using errcode = '23505'; end if;
  if k = 4 then raise division_by_zero; end if;
  if k = 5 then raise sqlstate '22012'; end if;
  if k = 6 then raise unique_violation using message = 'Duplicate user ID: ' || k; end if;
  if k = 7 then raise notice '% and %% and %', 'a', k; end if;
  if k = 8 then raise using message = 'only a message'; end if;
  if k = 9 then raise exception using errcode = '00000'; end if;
  if k = 10 then raise warning 'careful %', null using detail = 'a detail', errcode = '01234'; end if;
  if k = 11 then raise info 'information'; end if;
  if k = 12 then raise log 'for the log'; end if;
  if k = 13 then raise debug 'for debugging'; end if;
  if k = 14 then raise exception 'with table' using table = 'tab', schema = 'sch', column = 'col', constraint = 'con', datatype = 'typ'; end if;
  if k = 15 then raise exception using message = null; end if;
  if k = 16 then raise 'x' using message = 'y'; end if;
  if k = 17 then raise exception using errcode = 'nosuch_condition'; end if;
  if k = 18 then raise exception no_data_found using detail = 'by a name'; end if;
  return k;
end $$;
select raises(1);
select raises(2);
select raises(3);
select raises(4);
select raises(5);
select raises(6);
select raises(7);
select raises(8);
select raises(9);
select raises(10);
select raises(11);
select raises(12);
select raises(13);
select raises(14);
select raises(15);
select raises(16);
select raises(17);
select raises(18);
create function raise_few() returns int language plpgsql as $$ begin raise notice 'a % b %', 1; return 1; end $$;
create function raise_many() returns int language plpgsql as $$ begin raise notice 'a', 1; return 1; end $$;
create function raise_again() returns int language plpgsql as $$ begin raise; return 1; end $$;
select raise_again();
create function raise_twice() returns int language plpgsql as $$ begin raise exception 'a' using hint = 'x', hint = 'y'; return 1; end $$;
select raise_twice();
create function raise_unknown() returns int language plpgsql as $$ begin raise nosuch; return 1; end $$;
create function raise_bad_state() returns int language plpgsql as $$ begin raise sqlstate '123'; return 1; end $$;
create function rethrows(k int) returns text language plpgsql as $$
begin
  begin
    perform 1 / k;
  exception when division_by_zero then
    raise notice 'seen % %', sqlstate, sqlerrm;
    raise;
  end;
  return 'no';
end $$;
select rethrows(0);
select rethrows(1);
create function nested_handlers(k int) returns text language plpgsql as $$
declare
  result text := '';
begin
  begin
    begin
      if k = 1 then perform 1 / 0; end if;
      if k = 2 then perform 'x'::int; end if;
      if k = 3 then raise exception sqlstate 'XX123'; end if;
      if k = 4 then raise exception 'plain'; end if;
      if k = 5 then assert false, 'asserted'; end if;
      if k = 6 then raise exception sqlstate '22000'; end if;
      result := result || 'none';
    exception
      when division_by_zero or invalid_text_representation then
        result := result || 'inner ' || sqlstate;
        if k = 2 then raise exception 'from the handler' using errcode = 'YY999'; end if;
    end;
  exception
    when sqlstate 'XX123' then result := result || 'xx ' || sqlerrm;
    when data_exception then result := result || 'class 22 ' || sqlstate;
    when raise_exception then result := result || 'raised ' || sqlerrm;
  end;
  return result;
exception
  when others then
    return result || 'outer ' || sqlstate || ' ' || sqlerrm;
end $$;
select nested_handlers(0), nested_handlers(1), nested_handlers(2), nested_handlers(3), nested_handlers(4), nested_handlers(6);
select nested_handlers(5);
create function catches_assert() returns text language plpgsql as $$ begin assert 1 > 2; return 'x'; exception when assert_failure then return 'caught ' || sqlerrm; end $$;
select catches_assert();
create function variables_stay() returns text language plpgsql as $$
declare
  a int := 1;
begin
  begin
    a := 2;
    insert into mytab values ('undone', 'x');
    raise exception 'out';
  exception when others then
    a := a + 10;
  end;
  return a || ' ' || (select count(*) from mytab where firstname = 'undone');
end $$;
select variables_stay();
create function outside_handler() returns text language plpgsql as $$ declare a text; begin get stacked diagnostics a = message_text; return a; end $$;
select outside_handler();
create function sqlerrm_outside() returns text language plpgsql as $$ begin return sqlerrm; end $$;
select sqlerrm_outside();
create function unknown_condition() returns int language plpgsql as $$ begin return 1; exception when nosuch then return 2; end $$;
create function asserts(a int) returns text language plpgsql as $$
begin
  assert a > 0;
  assert a > 1, 'must be greater than one';
  assert a > 2, 'a is ' || a;
  assert nullif(a, 4) is not null, null;
  return 'fine';
end $$;
select asserts(5);
select asserts(0);
select asserts(1);
select asserts(2);
select asserts(4);
select asserts(null);
create function error_in_handler() returns int language plpgsql as $$ begin perform 1 / 0; return 1; exception when others then return 'x'; end $$;
select error_in_handler();
create function error_in_declaration(a int) returns int language plpgsql as $$ declare b int := 1 / a; begin return b; exception when others then return -1; end $$;
select error_in_declaration(0);
create function errors_in_loop() returns text language plpgsql as $$
declare
  result text := '';
  t text;
begin
  foreach t in array array['1', 'x', '0', null, '5'] loop
    begin
      result := result || 10 / t::int || ' ';
    exception
      when division_by_zero then result := result || 'zero ';
      when invalid_text_representation then result := result || 'bad ';
      when null_value_not_allowed then result := result || 'null ';
    end;
  end loop;
  return result;
end $$;
select errors_in_loop();
create function catches_cancel() returns text language plpgsql as $$
begin
  set local statement_timeout = 50;
  perform pg_sleep(5);
  return 'slept';
exception when query_canceled then
  return 'cancelled ' || sqlerrm;
end $$;
select catches_cancel();
create procedure logs(a int) language plpgsql as $$
declare
  d text; c text;
begin
  begin
    insert into constrained values (a, a, 'w', a);
  exception when check_violation or unique_violation then
    get stacked diagnostics d := pg_exception_detail, c := constraint_name;
    raise warning 'failed: % %', c, d;
  end;
end $$;
call logs(1);
call logs(1);
call logs(-1);
select * from constrained order by k;
do $$ begin perform 1 / 0; end $$;
do $$ begin raise exception 'of a block' using hint = 'none'; end $$;
do $$ declare a int; begin a := 'x'; end $$;
