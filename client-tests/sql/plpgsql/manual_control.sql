-- file: message detail hint context objects notices
-- What the chapter of PostgreSQL's manual on PL/pgSQL shows of control structures: returning, conditions, loops.
create schema pmc;
set search_path = pmc, public;
create table foo (fooid int, foosubid int, fooname text);
insert into foo values (1, 2, 'three'), (4, 5, 'six'), (7, 8, 'nine');
create table flights (flightid int, flightdate date);
insert into flights values (1, '2020-01-01'), (2, '2020-01-02'), (3, '2020-01-02');
create type compfoo as (f1 int, f2 text);
create function get_all_foo() returns setof foo as
$BODY$
DECLARE
    r foo%rowtype;
BEGIN
    FOR r IN
        SELECT * FROM foo WHERE fooid > 0
    LOOP
        -- can do some processing here
        RETURN NEXT r; -- return current row of SELECT
    END LOOP;
    RETURN;
END;
$BODY$
language plpgsql;
select * from get_all_foo();
select get_all_foo();
select fooname, (get_all_foo()).foosubid from foo order by 1, 2;
create function get_available_flightid(date) returns setof integer as
$BODY$
BEGIN
    RETURN QUERY SELECT flightid
                   FROM flights
                  WHERE flightdate >= $1
                    AND flightdate < ($1 + 1);

    -- Since execution is not finished, we can check whether rows were returned
    -- and raise exception if not.
    IF NOT FOUND THEN
        RAISE EXCEPTION 'No flight at %.', $1;
    END IF;

    RETURN;
 END;
$BODY$
language plpgsql;
select * from get_available_flightid('2020-01-02');
select * from get_available_flightid('2021-01-02');
create function returns_composite(k int) returns compfoo language plpgsql as $$
declare
  r compfoo;
begin
  if k = 1 then return (1, 'one'::text); end if;
  if k = 2 then return row(2, 'two'::text); end if;
  if k = 3 then r := (3, 'three'); return r; end if;
  if k = 4 then return null; end if;
  if k = 5 then return (select row(fooid, fooname)::compfoo from foo where fooid = 4); end if;
end $$;
select returns_composite(1), returns_composite(2), returns_composite(3), returns_composite(4), returns_composite(5);
select * from returns_composite(3);
select returns_composite(6);
create function returns_composite_wrong() returns compfoo language plpgsql as $$ begin return 1; end $$;
select returns_composite_wrong();
create function returns_scalar_of_row() returns int language plpgsql as $$ begin return row(1, 2); end $$;
select returns_scalar_of_row();
create function returns_void() returns void language plpgsql as $$ begin return; perform 1 / 0; end $$;
select returns_void();
create function returns_void_with() returns void language plpgsql as $$ begin return 1; end $$;
create function returns_without() returns int language plpgsql as $$ begin return; end $$;
create function returns_with_out(out a int) language plpgsql as $$ begin return 1; end $$;
create function returns_next_without_set() returns int language plpgsql as $$ begin return next 1; end $$;
create function returns_query_without_set() returns int language plpgsql as $$ begin return query select 1; end $$;
create function never_returns(a int) returns int language plpgsql as $$ begin if a > 1 then return a; end if; end $$;
select never_returns(2);
select never_returns(1);
create function next_scalars(n int) returns setof text language plpgsql as $$
begin
  for i in 1 .. n loop
    return next 'row ' || i;
    return next null;
  end loop;
  return query select fooname from foo where fooid <= n order by fooid;
  return query execute 'select $1 || x from generate_series(1, $2) x' using 'dyn', n;
end $$;
select * from next_scalars(2);
select next_scalars(1);
select count(*) from next_scalars(0);
create function next_outs(n int, out a int, out b text) returns setof record language plpgsql as $$
begin
  for a, b in select fooid, fooname from foo order by fooid limit n loop
    return next;
  end loop;
  a := -1;
  return next;
end $$;
select * from next_outs(2);
create function next_table(n int) returns table (k int, sq bigint) language plpgsql as $$
begin
  for k in 1 .. n loop
    sq := k * k;
    return next;
  end loop;
end $$;
select * from next_table(3) where sq > 1;
create function next_wrong() returns setof compfoo language plpgsql as $$ begin return next 5; end $$;
select * from next_wrong();
create function query_wrong() returns setof compfoo language plpgsql as $$ begin return query select 1; end $$;
select * from query_wrong();
create function query_wrong_type() returns setof compfoo language plpgsql as $$ begin return query select 1, 2; end $$;
select * from query_wrong_type();
create procedure triple(INOUT x int) language plpgsql as $$
BEGIN
    x := x * 3;
END;
$$;
DO $$
DECLARE myvar int := 5;
BEGIN
  CALL triple(myvar);
  RAISE NOTICE 'myvar = %', myvar;  -- prints 15
END;
$$;
call triple(7);
do $$ begin call triple(5); end $$;
create procedure in_out(a int, inout b int default 4, out c text) language plpgsql as $$ begin b := b + a; c := 'c' || b; end $$;
do $$ declare x int := 2; y text; begin call in_out(1, x, y); raise notice '% %', x, y; call in_out(c => y, a => 10); end $$;
do $$ declare x int := 2; y text; begin call in_out(c => y, a => 10, b => x); raise notice '% %', x, y; end $$;
create function conditions(v_user_id int, demo text, number int) returns text language plpgsql as $$
DECLARE
  result text := '';
BEGIN
  IF v_user_id <> 0 THEN
    result := 'user';
  END IF;
  IF demo IS NULL OR demo = '' THEN
    result := result || ' none';
  ELSE
    IF demo = 'm' THEN
      result := result || ' man';
    ELSE
      IF demo = 'f' THEN
        result := result || ' woman';
      END IF;
    END IF;
  END IF;
  IF number = 0 THEN
    result := result || ' zero';
  ELSIF number > 0 THEN
    result := result || ' positive';
  ELSEIF number < 0 THEN
    result := result || ' negative';
  ELSE
    -- hmm, the only other possibility is that number is null
    result := result || ' NULL';
  END IF;
  return result;
END $$;
select conditions(1, 'm', 0), conditions(0, 'f', 1), conditions(null, null, -1), conditions(2, '', null);
create function simple_case(x int) returns text language plpgsql as $$
declare
  msg text;
begin
  CASE x
    WHEN 1, 2 THEN
        msg := 'one or two';
    WHEN 3, x + 1, 5 * 2 THEN
        msg := 'three or ten';
    ELSE
        msg := 'other value than one or two';
  END CASE;
  return msg;
end $$;
select simple_case(1), simple_case(2), simple_case(3), simple_case(10), simple_case(11), simple_case(null);
create function searched_case(x int) returns text language plpgsql as $$
declare
  msg text;
begin
  CASE
    WHEN x BETWEEN 0 AND 10 THEN
        msg := 'value is between zero and ten';
    WHEN x BETWEEN 11 AND 20 THEN
        msg := 'value is between eleven and twenty';
  END CASE;
  return msg;
end $$;
select searched_case(5), searched_case(15);
select searched_case(25);
select searched_case(null);
create function case_of_texts(t text) returns int language plpgsql as $$
begin
  case t when 'a' then return 1; when 'b', null then return 2; else null; end case;
  return 3;
end $$;
select case_of_texts('a'), case_of_texts('b'), case_of_texts('c'), case_of_texts(null);
create function case_twice(a anyelement, b int) returns text language plpgsql as $$
begin
  case a when b then return 'same'; else return 'other'; end case;
end $$;
select case_twice(1, 1), case_twice(1.0, 1), case_twice(2::bigint, 1);
create function exits(n int) returns text language plpgsql as $$
declare
  count int := 0;
  result text := '';
begin
  LOOP
    count := count + 1;
    EXIT WHEN count > 100;
    CONTINUE WHEN count < 50;
    result := result || count || ' ';
    IF count > n THEN
      EXIT;  -- exit loop
    END IF;
  END LOOP;
  <<ablock>>
  BEGIN
    IF count > 60 THEN
        EXIT ablock;  -- causes exit from the BEGIN block
    END IF;
    result := result || 'not skipped';
  END;
  return result || count;
end $$;
select exits(51), exits(65);
create function exits_outer() returns text language plpgsql as $$
declare
  result text := '';
begin
  <<rows>>
  for i in 1 .. 4 loop
    <<cells>>
    for j in 1 .. 4 loop
      continue rows when j > i;
      exit rows when i * j = 12;
      if i = j then continue; end if;
      result := result || i || j || ' ';
    end loop cells;
  end loop rows;
  return result;
end $$;
select exits_outer();
create function exit_nowhere() returns int language plpgsql as $$ begin exit; return 1; end $$;
create function continue_block() returns int language plpgsql as $$ begin <<b>> begin continue b; end; return 1; end $$;
create function exit_unknown() returns int language plpgsql as $$ begin loop exit nosuch; end loop; return 1; end $$;
create function exit_of_routine() returns void language plpgsql as $$ begin exit exit_of_routine; raise notice 'not here'; end $$;
select exit_of_routine();
create function whiles(amount_owed int, gift int) returns text language plpgsql as $$
declare
  done boolean := false;
  result text := '';
begin
  WHILE amount_owed > 0 AND gift > 0 LOOP
    amount_owed := amount_owed - 3;
    gift := gift - 1;
    result := result || amount_owed || ',' || gift || ' ';
  END LOOP;
  WHILE NOT done LOOP
    done := gift <= 0 or amount_owed < -5;
    amount_owed := amount_owed - 1;
  END LOOP;
  return result || amount_owed;
end $$;
select whiles(10, 2), whiles(2, 10);
create function integer_loops(a int, b int, s int) returns text language plpgsql as $$
declare
  i text := 'outer';
  result text := '';
begin
  FOR i IN a .. b LOOP result := result || i; END LOOP;
  result := result || '|';
  FOR i IN REVERSE b .. a LOOP result := result || i; END LOOP;
  result := result || '|';
  FOR i IN REVERSE b .. a BY s LOOP result := result || i; i := 0; END LOOP;
  result := result || '|';
  FOR i IN a .. b BY s LOOP result := result || i; END LOOP;
  return result || i;
end $$;
select integer_loops(1, 7, 3), integer_loops(5, 1, 1);
select integer_loops(1, 7, 0);
select integer_loops(1, 7, -1);
select integer_loops(null, 7, 1);
select integer_loops(1, null, 1);
select integer_loops(1, 2, null);
create function loop_limits() returns text language plpgsql as $$
declare
  result text := '';
begin
  for i in 2147483645 .. 2147483647 loop result := result || i || ' '; end loop;
  for i in reverse -2147483646 .. -2147483648 loop result := result || i || ' '; end loop;
  for i in 1.4 .. 3.6 loop result := result || i || ' '; end loop;
  return result;
end $$;
select loop_limits();
create function query_loop() returns text as $$
DECLARE
    mviews RECORD;
    result text := '';
BEGIN
    FOR mviews IN
       SELECT fooid AS id,
              fooname AS mv_name
         FROM foo
     ORDER BY 1
    LOOP
        result := result || format('%s=%I ', mviews.id, mviews.mv_name);
    END LOOP;
    result := result || mviews.id;
    RETURN result;
END;
$$ LANGUAGE plpgsql;
select query_loop();
create function query_loop_scalars() returns text language plpgsql as $$
declare
  a int;
  b text;
  result text := '';
begin
  for a, b in select fooid, fooname from foo order by 1 desc loop
    result := result || a || b;
  end loop;
  for b in values ('x'), ('y') loop
    result := result || b;
  end loop;
  for a in insert into foo values (10, 11, 'ten') returning fooid loop
    result := result || a;
  end loop;
  for a in delete from foo where fooid = 10 returning foosubid loop
    result := result || a;
  end loop;
  for b in explain (costs off) select 1 loop
    result := result || length(b);
    exit;
  end loop;
  return result;
end $$;
select query_loop_scalars();
create function dynamic_loop(t text, k int) returns text language plpgsql as $$
declare
  r record;
  result text := '';
begin
  for r in execute format('select * from %I where fooid > $1 order by fooid', t) using k loop
    result := result || r.fooname || r.foosubid;
  end loop;
  return result || found;
end $$;
select dynamic_loop('foo', 1), dynamic_loop('foo', 100);
select dynamic_loop('nosuch', 1);
create function loop_unknown_variable() returns int language plpgsql as $$ begin for r in select 1 loop null; end loop; return 1; end $$;
create function loop_of_command() returns int language plpgsql as $$ declare r record; begin for r in delete from foo where false loop null; end loop; return 1; end $$;
select loop_of_command();
create function sum_array(int[]) returns int8 as $$
DECLARE
  s int8 := 0;
  x int;
BEGIN
  FOREACH x IN ARRAY $1
  LOOP
    s := s + x;
  END LOOP;
  RETURN s;
END;
$$ LANGUAGE plpgsql;
select sum_array(array[1, 2, 3]), sum_array('{}'), sum_array('{{1,2},{3,4}}'), sum_array('[5:6]={7,8}'), sum_array('{1,null}');
select sum_array(null);
create function scan_rows(int[]) returns void as $$
DECLARE
  x int[];
BEGIN
  FOREACH x SLICE 1 IN ARRAY $1
  LOOP
    RAISE NOTICE 'row = %', x;
  END LOOP;
END;
$$ LANGUAGE plpgsql;
select scan_rows(array[[1,2,3],[4,5,6],[7,8,9],[10,11,12]]);
select scan_rows(array[1, 2]);
select scan_rows('{}');
create function scan_planes(a int[]) returns text as $$
declare
  p int[];
  result text := '';
begin
  foreach p slice 2 in array a loop result := result || p::text || array_dims(p) || ' '; end loop;
  return result;
end $$ language plpgsql;
select scan_planes('{{{1,2},{3,4}},{{5,6},{7,8}}}'), scan_planes('{{1,2},{3,4}}');
select scan_planes('{1,2}');
create function each_pair(a foo[]) returns text language plpgsql as $$
declare
  r foo;
  k int;
  s int;
  n text;
  result text := '';
begin
  foreach r in array a loop result := result || r.fooname || r.fooid; end loop;
  foreach k, s, n in array a loop result := result || n || s || k; end loop;
  return result;
end $$;
select each_pair(array(select f from foo f order by fooid));
create function each_wrong() returns int language plpgsql as $$ declare x int; begin foreach x in array 5 loop null; end loop; return x; end $$;
select each_wrong();
create function each_slice_wrong() returns int language plpgsql as $$ declare x int; begin foreach x slice 1 in array array[1] loop null; end loop; return x; end $$;
select each_slice_wrong();
create function factorial(n int) returns numeric language plpgsql as $$ begin if n < 2 then return 1; end if; return n * factorial(n - 1); end $$;
select factorial(5), factorial(25);
