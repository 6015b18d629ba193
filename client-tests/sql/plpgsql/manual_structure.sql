-- file: message detail hint context objects notices
-- What the chapter of PostgreSQL's manual on PL/pgSQL shows of blocks, declarations and expressions.
create schema pms;
set search_path = pms, public;
create table users (user_id int primary key, username text not null, age smallint, joined date default date '2020-01-01');
insert into users values (1, 'ann', 30), (2, 'bob', null), (3, 'cy', 51, '2021-05-06');
create function somefunc() returns integer as $$
<< outerblock >>
DECLARE
    quantity integer := 30;
BEGIN
    RAISE NOTICE 'Quantity here is %', quantity;
    quantity := 50;
    -- Create a subblock
    DECLARE
        quantity integer := 80;
    BEGIN
        RAISE NOTICE 'Quantity here is %', quantity;
        RAISE NOTICE 'Outer quantity here is %', outerblock.quantity;
    END;
    RAISE NOTICE 'Quantity here is %', quantity;
    RETURN quantity;
END;
$$ LANGUAGE plpgsql;
select somefunc();
create function declared() returns text language plpgsql as $$
declare
  user_id integer;
  quantity numeric(5);
  url varchar;
  myrow users%ROWTYPE;
  myfield users.username%TYPE;
  arow RECORD;
  quantity_two integer DEFAULT 32;
  url_two varchar := 'http://mysite.com';
  transaction_time CONSTANT timestamp with time zone := now();
  x integer := 1;
  y integer := x + 1;
begin
  quantity := 12345.4;
  url := url_two || '/' || y;
  myfield := 'someone';
  return concat_ws('|', user_id, quantity, url, myrow, myfield, quantity_two, url_two, transaction_time = now(), x, y);
end $$;
select declared();
create function initial_each_time(n int) returns text language plpgsql as $$
declare
  result text := '';
begin
  for i in 1 .. n loop
    declare
      k int := i * 10;
      unset int;
    begin
      result := result || k || coalesce(unset::text, '-') || ' ';
      unset := k;
    end;
  end loop;
  return result;
end $$;
select initial_each_time(3);
create function sales_tax(real) returns real as $$
DECLARE
    subtotal ALIAS FOR $1;
BEGIN
    RETURN subtotal * 0.06;
END;
$$ LANGUAGE plpgsql;
select sales_tax(100);
create function sales_tax_out(subtotal real, OUT tax real) as $$
BEGIN
    tax := subtotal * 0.06;
END;
$$ LANGUAGE plpgsql;
select sales_tax_out(100), (select tax from sales_tax_out(200));
create function sum_n_product(x int, y int, OUT sum int, OUT prod int) as $$
BEGIN
    sum := x + y;
    prod := x * y;
END;
$$ LANGUAGE plpgsql;
select * from sum_n_product(2, 4);
select sum_n_product(3, 5);
create procedure sum_n_product_proc(x int, y int, OUT sum int, OUT prod int) as $$
BEGIN
    sum := x + y;
    prod := x * y;
END;
$$ LANGUAGE plpgsql;
call sum_n_product_proc(2, 4, NULL, NULL);
do $$ declare a int; b int; begin call sum_n_product_proc(6, 7, a, b); raise notice '% %', a, b; end $$;
create function extended_names(p_age int) returns table (name text, years numeric) as $$
BEGIN
    RETURN QUERY SELECT u.username, u.age::numeric / 2 FROM users AS u WHERE u.age > p_age order by 1;
END;
$$ LANGUAGE plpgsql;
select * from extended_names(10);
create function add_three_values(v1 anyelement, v2 anyelement, v3 anyelement) returns anyelement as $$
DECLARE
    result ALIAS FOR $0;
BEGIN
    result := v1 + v2 + v3;
    RETURN result;
END;
$$ LANGUAGE plpgsql;
select add_three_values(1, 2, 3), add_three_values(1.5, 2, 3), pg_typeof(add_three_values(1::bigint, 2, 3));
select add_three_values(1, 4.7, 3);
create function add_three_out(v1 anyelement, v2 anyelement, v3 anyelement, OUT sum anyelement) as $$
BEGIN
    sum := v1 + v2 + v3;
END;
$$ LANGUAGE plpgsql;
select add_three_out(1, 2, 3), add_three_out(interval '1 day', '2 hours', '3 min');
create function add_three_compatible(v1 anycompatible, v2 anycompatible, v3 anycompatible) returns anycompatible as $$
BEGIN
    RETURN v1 + v2 + v3;
END;
$$ LANGUAGE plpgsql;
select add_three_compatible(1, 2, 4.7);
create function alias_of_old() returns text language plpgsql as $$
declare
  prior ALIAS FOR old_value;
begin
  return prior;
end $$;
create function alias_of_variable() returns text language plpgsql as $$
declare
  old_value int := 5;
  prior ALIAS FOR old_value;
begin
  prior := prior + 1;
  return old_value || ' ' || prior;
end $$;
select alias_of_variable();
create function merge_fields(t_row users) returns text as $$
DECLARE
    t2_row users%ROWTYPE;
BEGIN
    SELECT * INTO t2_row FROM users WHERE user_id = t_row.user_id + 1;
    RETURN t_row.username || t2_row.username || coalesce(t2_row.age, -1);
END;
$$ LANGUAGE plpgsql;
select merge_fields(t.*) from users t where user_id = 1;
select merge_fields(t) from users t order by user_id;
create function less_than(a text, b text) returns boolean as $$
BEGIN
    RETURN a < b;
END;
$$ LANGUAGE plpgsql;
select less_than('a', 'B'), less_than('B', 'a'), less_than('a' collate "C", 'B' collate "C");
create function less_than_local(a text, b text) returns boolean as $$
DECLARE
    local_a text COLLATE "C" := a;
    local_b text := b;
BEGIN
    RETURN local_a < local_b;
END;
$$ LANGUAGE plpgsql;
select less_than_local('a', 'B');
create function collated_wrong() returns int language plpgsql as $$ declare a int collate "C"; begin return a; end $$;
create function constants() returns text language plpgsql as $$
declare
  c constant int := 5;
  d constant text not null := 'x';
begin
  return c || d;
end $$;
select constants();
create function changes_constant() returns int language plpgsql as $$ declare c constant int := 5; begin c := 6; return c; end $$;
create function into_constant() returns int language plpgsql as $$ declare c constant int := 5; begin select 1 into c; return c; end $$;
create function not_null_without() returns int language plpgsql as $$ declare c int not null; begin return c; end $$;
create function not_null_default_null() returns int language plpgsql as $$ declare c int not null := null; begin return c; end $$;
select not_null_default_null();
create function not_null_later() returns int language plpgsql as $$ declare c int not null := 1; begin c := nullif(c, 1); return c; end $$;
select not_null_later();
create function default_of_argument(a int, b int default 7, c text default 'c' || 'd') returns text language plpgsql as $$
declare
  d int default a + b;
begin
  return d || c;
end $$;
select default_of_argument(1), default_of_argument(1, 2), default_of_argument(1, c => 'z');
create function type_of_argument(a users.age%type) returns users.username%type language plpgsql as $$
declare
  b a%type := 3;
  c b%type := 4;
begin
  return pg_typeof(a) || ' ' || pg_typeof(b) || ' ' || pg_typeof(c);
end $$;
select type_of_argument(1::smallint);
create function two_names_same_block() returns int language plpgsql as $$ declare a int; a text; begin return 1; end $$;
create function no_such_type() returns int language plpgsql as $$ declare a nosuch; begin return 1; end $$;
create function no_such_rowtype() returns int language plpgsql as $$ declare a nosuch%rowtype; begin return 1; end $$;
create function no_such_column() returns int language plpgsql as $$ declare a users.nosuch%type; begin return 1; end $$;
create function function_name_qualifies(a int) returns int language plpgsql as $$
declare
  b int := function_name_qualifies.a + 1;
begin
  declare
    a int := 100;
  begin
    return a + function_name_qualifies.a + b;
  end;
end $$;
select function_name_qualifies(1);
create function arrays_and_slices() returns text language plpgsql as $$
declare
  a int[] := array[1, 2, 3];
  m int[][] := '{{1,2},{3,4}}';
  t text[] default '{}';
begin
  a[2] := 20;
  a[5] := 50;
  m[2][1] := 30;
  m[1:1][1:2] := array[array[7, 8]];
  t := t || 'x'::text || array['y', 'z'];
  t[0] := 'w';
  return concat_ws(' ', a, m, t, a[1:2], array_upper(a, 1), array_length(m, 2));
end $$;
select arrays_and_slices();
create function record_whole() returns text language plpgsql as $$
declare
  r record;
  s users;
begin
  r := row(1, 'x', null::date);
  s := (9, 'nine', 99, '2022-02-02');
  s.age := s.age + 1;
  return r::text || s::text || (r.f1 + s.user_id) || (s).username;
end $$;
select record_whole();
create function record_unassigned() returns text language plpgsql as $$ declare r record; begin return r.x; end $$;
select record_unassigned();
create function record_null() returns text language plpgsql as $$ declare r record; begin return coalesce(r::text, 'null') || (r is null); end $$;
select record_null();
create function "Quoted Name"("In" int, "in" int) returns int language plpgsql as $$
declare
  "A" int := 1;
  a int := 2;
  "select" int := 3;
begin
  return "A" * 1000 + A * 100 + "select" * 10 + "In" - "in";
end $$;
select "Quoted Name"(5, 4);
create function nested_labels() returns text language plpgsql as $$
<<one>>
declare
  v text := '1';
begin
  <<two>>
  declare
    v text := '2';
  begin
    <<three>>
    declare
      v text := one.v || two.v || '3';
    begin
      return one.v || ' ' || two.v || ' ' || three.v || ' ' || v;
    end three;
  end two;
end one;
$$;
select nested_labels();
create function wrong_end_label() returns int language plpgsql as $$ <<a>> begin return 1; end b; $$;
create function end_label_alone() returns int language plpgsql as $$ begin return 1; end b; $$;
create function comments_within() returns int language plpgsql as $$
declare /* a /* nested */ comment */ a int := 1; -- to the end of the line
begin
  -- return 2;
  return a /* + 1 */ + 2;
end $$;
select comments_within();
create function expression_forms(n int) returns text language plpgsql as $$
declare
  a bool := n > 5 and not n = 7;
  b text := case when n > 5 then 'big' else 'small' end;
  c int := (select count(*) from users where user_id <= n);
  d bool := exists (select from users where user_id = n);
  e int[] := array(select user_id from users where user_id <= n order by 1);
  f bool := n in (select user_id from users);
  g bool := n = any (e);
  h text := n between 2 and 3;
begin
  return concat_ws(',', a, b, c, d, e, f, g, h);
end $$;
select expression_forms(1), expression_forms(7), expression_forms(3), expression_forms(null);
create function assigns_with_equals() returns int language plpgsql as $$ declare a int = 4; begin a = a + 1; return a; end $$;
select assigns_with_equals();
create function not_one_column() returns int language plpgsql as $$ declare a int; begin a := 1, 2; return a; end $$;
create function rows_in_assignment() returns int language plpgsql as $$ declare a int; begin a := user_id from users order by 1; return a; end $$;
select rows_in_assignment();
create function row_in_assignment() returns int language plpgsql as $$ declare a int; begin a := user_id from users where user_id = 2; return a; end $$;
select row_in_assignment();
create function casts_on_assignment() returns text language plpgsql as $$
declare
  i int;
  n numeric(6, 2);
  v varchar(3);
  c char(5);
  d date;
  b boolean;
begin
  i := 3.7;
  n := '1234.567';
  c := 'ab';
  d := '2020-02-03 10:11:12'::timestamp;
  b := 'yes';
  v := 'abc   ';
  return concat_ws('|', i, n, v, c, d, b);
end $$;
select casts_on_assignment();
create function too_long() returns text language plpgsql as $$ declare v varchar(3); begin v := 'abcd'; return v; end $$;
select too_long();
create function not_a_number() returns text language plpgsql as $$ declare i int; begin i := 'abc'; return i; end $$;
select not_a_number();
create function too_big() returns text language plpgsql as $$ declare i smallint; begin i := 40000; return i; end $$;
select too_big();
create function unknown_variable() returns int language plpgsql as $$ begin nosuch := 1; return 1; end $$;
create function unknown_in_expression() returns int language plpgsql as $$ begin return nosuch + 1; end $$;
select unknown_in_expression();
