-- file: message detail hint context objects
-- Polymorphic parameters and results: what a call makes of them.
create schema rpo;
set search_path = rpo, public;
create type mood as enum ('sad', 'ok', 'happy');
create type pair as (a int, b text);
create domain small as int check (value < 100);
create table t (id int, name text);
insert into t values (1, 'one'), (2, 'two');

create function same(x anyelement) returns anyelement language sql as 'select $1';
create function same_plpgsql(x anyelement) returns anyelement language plpgsql as 'begin return x; end';
create function in_array(x anyelement) returns anyarray language sql as 'select array[x, x]';
create function first_of(x anyarray) returns anyelement language sql as 'select x[1]';
create function first_of_plpgsql(x anyarray) returns anyelement language plpgsql as $$ declare r x%type; begin r := x; return r[1]; end $$;
create function larger(x anyelement, y anyelement) returns anyelement language sql as 'select case when x > y then x else y end';
create function larger_plpgsql(x anyelement, y anyelement) returns anyelement language plpgsql as $$ declare r x%type; begin if x > y then r := x; else r := y; end if; return r; end $$;
create function adds(x anyarray, y anyelement) returns anyarray language sql as 'select array_append(x, y)';
create function type_of(x anyelement) returns text language sql as 'select pg_typeof(x)::text';
create function type_of_plpgsql(x anyelement) returns text language plpgsql as $$ begin return pg_typeof(x)::text || ' ' || pg_typeof($1); end $$;

select same(1), same('x'::text), same(1.5), same(null::date), same(true), same(array[1, 2]), same(row(1, 'x')::pair), same('ok'::mood);
select same_plpgsql(1), same_plpgsql('x'::text), same_plpgsql(1.5), same_plpgsql(null::date), same_plpgsql(true), same_plpgsql(array[1, 2]), same_plpgsql(row(1, 'x')::pair), same_plpgsql('ok'::mood);
select in_array(1), in_array('x'::text), in_array('ok'::mood)::text, in_array(row(1, 'x')::pair)::text;
select first_of(array[3, 4]), first_of(array['x', 'y']), first_of('{2020-01-01}'::date[]), first_of('{}'::float8[]);
select first_of_plpgsql(array[3, 4]), first_of_plpgsql(array['x', 'y']), first_of_plpgsql('{2020-01-01}'::date[]), first_of_plpgsql(null::float8[]);
select larger(1, 2), larger('a'::text, 'b'), larger('b', 'a'::text), larger(2.5, 1.5), larger(date '2020-01-01', '2019-01-01'), larger(1, null);
select larger_plpgsql(1, 2), larger_plpgsql('a'::text, 'b'), larger_plpgsql('b', 'a'::text), larger_plpgsql(2.5, 1.5), larger_plpgsql(date '2020-01-01', '2019-01-01');
select adds(array[1], 2), adds('{1}', 2), adds(array['x'], 'y'), adds(null, 5);
select type_of(1), type_of(1::bigint), type_of('x'::varchar(5)), type_of('x'::text), type_of(1.5::numeric(5, 2)), type_of(array[1.5]), type_of('sad'::mood);
select type_of_plpgsql(1), type_of_plpgsql(1::bigint), type_of_plpgsql('x'::varchar(5)), type_of_plpgsql(1.5::numeric(5, 2)), type_of_plpgsql(array[1.5]), type_of_plpgsql(t) from t;
select same(t), (same(t)).name from t order by id;
select same(id), same_plpgsql(name), in_array(id) from t order by id;
select sum(same_plpgsql(id)), max(larger_plpgsql(id, 1)) from t;
select * from same(5) as f;
select * from in_array('a'::text) as f (x);

select same('unknown');
select same(null);
select same_plpgsql('unknown');
select larger('a', 'b');
select larger(1, 2.5);
select larger(1, 'x');
select larger(1, '3');
select larger(1::smallint, 2::bigint);
select first_of(1);
select first_of('{1,2}');
select in_array(array[1]);
select adds(array[1], 'x'::text);
select adds(array[1], 2.5);

create function only_enum(x anyenum) returns text language sql as 'select x::text';
create function next_enum(x anyenum) returns anyenum language plpgsql as $$ declare r x%type; begin select e into r from unnest(enum_range(x)) e where e > x order by e limit 1; return r; end $$;
create function no_array(x anynonarray) returns text language sql as 'select x::text';
select only_enum('ok'::mood), next_enum('sad'::mood), next_enum('happy'::mood);
select only_enum(1);
select only_enum('ok');
select no_array(1), no_array('x'::text);
select no_array(array[1]);

create function common(x anycompatible, y anycompatible) returns anycompatible language sql as 'select case when x > y then x else y end';
create function common_plpgsql(x anycompatible, y anycompatible) returns anycompatible language plpgsql as $$ begin return case when x > y then x else y end; end $$;
create function common_array(x anycompatible, y anycompatiblearray) returns anycompatiblearray language sql as 'select x || y';
create function common_single(x anycompatiblenonarray, y anycompatible) returns text language plpgsql as $$ begin return pg_typeof(x) || ' ' || pg_typeof(y); end $$;
select common(1, 2.5), pg_typeof(common(1, 2.5)), common(3::smallint, 2::bigint), pg_typeof(common(3::smallint, 2::bigint)), common('a', 'b'), pg_typeof(common(null, null));
select common_plpgsql(1, 2.5), pg_typeof(common_plpgsql(1, 2.5)), common_plpgsql('a', 'b'), common_plpgsql(1, 2), common_plpgsql(date '2020-01-01', timestamp '2020-01-02 10:00');
select common_array(1, array[2.5]), common_array(1.5, array[2]), common_array(1, '{3}');
select common_single(1, 2.5), common_single(1.5, 2);
select common(1, 'x'::text);
select common(1, true);
select common_single(array[1], array[2]);

create function listed(variadic x anyarray) returns text language plpgsql as $$ begin return pg_typeof(x) || ' ' || cardinality(x); end $$;
create function listed_first(a anyelement, variadic x anyarray) returns anyelement language sql as 'select coalesce(x[1], a)';
create function listed_common(variadic x anycompatiblearray) returns anycompatiblearray language sql as 'select x';
select listed(1, 2, 3), listed('a'::text, 'b'), listed(variadic array[1.5]), listed(variadic '{}'::text[]);
select listed(1, 2.5);
select listed();
select listed('a', 'b');
select listed_first(1, 2, 3), listed_first('a'::text, 'b'), listed_first(1, variadic array[7]);
select listed_common(1, 2.5, 3), listed_common('a', 'b'), listed_common(variadic array[1, 2]);

create function outs(x anyelement, out twice anyarray, out again anyelement) language plpgsql as $$ begin twice := array[x, x]; again := x; end $$;
create function outs_sql(x anyelement, out twice anyarray, out again anyelement) language sql as 'select array[x, x], x';
create function inout_one(inout x anyelement) language plpgsql as $$ begin x := x || x; end $$;
create function as_set(x anyarray) returns setof anyelement language plpgsql as $$ begin for i in reverse array_upper(x, 1) .. array_lower(x, 1) loop return next x[i]; end loop; end $$;
create function as_set_sql(x anyarray) returns setof anyelement language sql as 'select unnest(x)';
create function as_table(x anyelement, n int) returns table (i int, e anyelement) language plpgsql as $$ begin for i in 1..n loop as_table.i := i; e := x; return next; end loop; end $$;
select * from outs(1);
select * from outs('x'::text);
select * from outs_sql(1.5);
select outs(true), outs_sql(true);
select inout_one('ab'::text), pg_typeof(inout_one('ab'::text));
select * from as_set(array[1, 2, 3]);
select as_set(array['x', 'y']), as_set_sql(array['a', 'b']);
select sum(e) from as_set_sql(array[1.5, 2.5]) e;
select * from as_table('q'::text, 2);
select e + 1 from as_table(41, 1);

create procedure swaps(inout a anyelement, inout b anyelement) language plpgsql as $$ declare c a%type; begin c := a; a := b; b := c; end $$;
call swaps(1, 2);
call swaps('x'::text, 'y');
do $$ declare a int := 5; b int := 6; begin call swaps(a, b); if a <> 6 then raise exception 'a is %', a; end if; end $$;

-- Overloads: what is exact, and what is not polymorphic, comes first.
create function over(x anyelement) returns text language sql as $$ select 'any ' || pg_typeof(x) $$;
create function over(x int) returns text language sql as $$ select 'int' $$;
create function over(x text) returns text language sql as $$ select 'text' $$;
select over(1), over('x'), over('x'::text), over(1.5), over(1::smallint), over(date '2020-01-01'), over(null);
create function recursive(x anyelement, n int) returns anyarray language plpgsql as $$ begin if n = 0 then return array[x]; end if; return recursive(x, n - 1) || x; end $$;
select recursive(1, 3), recursive('a'::text, 2);
create function through(x anyelement) returns text language plpgsql as $$ begin return type_of(x) || ' ' || type_of(array[x]) || ' ' || same(x); end $$;
select through(1), through('x'::text);
create function with_default(x anyelement default 1) returns anyelement language sql as 'select x';
create function with_null(a anyelement, b anyelement default null) returns anyelement language sql as 'select coalesce(b, a)';
select with_default(), with_default('x'::text), with_null(4), with_null(4, 5), with_null('x'::text);
create function with_seven(a anyelement, b anyelement default 7) returns anyelement language sql as 'select coalesce(b, a)';
select with_seven(4);
select with_seven(4.5);
create function is_strict(x anyelement) returns anyelement language plpgsql strict as $$ begin return x; end $$;
select is_strict(null::int), is_strict(2);
create function fails_for(x anyelement) returns text language plpgsql as $$ begin return x + 1; end $$;
select fails_for(1);
select fails_for('x'::text);
create function fails_sql(x anyelement) returns int language sql as 'select x + nosuch';
select fails_sql(1);
create function wrong_result(x anyelement) returns anyarray language sql as 'select x';
select wrong_result(1);
select same(5::small), pg_typeof(same_plpgsql(5::small) + 1);

-- Views, defaults, prepared statements.
create view v as select same_plpgsql(id) as id, in_array(name) as names from t;
select * from v order by id;
create table d (a int default same(3), b text default same_plpgsql('x'::text));
insert into d default values;
select * from d;
prepare p as select same($1), same_plpgsql($2::text);
prepare p (int, date) as select same($1), in_array($2);
execute p (1, '2020-01-01');
deallocate p;

-- What cannot be defined.
create function no_input() returns anyelement language sql as 'select 1';
create function no_input(x int) returns anyarray language sql as 'select array[1]';
create function no_input(x anycompatible) returns anyelement language sql as 'select 1';
create function no_input(x anyelement) returns anycompatible language sql as 'select 1';
create function no_input(x int, out y anyelement) language sql as 'select 1';
create function of_array(x anyelement[]) returns int language sql as 'select 1';
create function variadic_one(variadic x anyelement) returns int language sql as 'select 1';
create function bad_syntax(x anyelement) returns int language plpgsql as $$ begin retrun 1; end $$;

-- As they are shown, named and dropped.
select proname, pronargs, proargtypes, proallargtypes, prorettype::regtype, provariadic::regtype from pg_proc where pronamespace = 'rpo'::regnamespace and proname in ('same', 'listed', 'outs', 'common_array', 'as_table') order by 1;
select 'same(anyelement)'::regprocedure::text, 'rpo.first_of(anyarray)'::regprocedure::text, to_regprocedure('common(anycompatible, anycompatible)')::text;
select pg_get_function_arguments('listed_first'::regproc), pg_get_function_result('as_table'::regproc), pg_get_function_identity_arguments('outs'::regproc);
select pg_get_functiondef('common_array'::regproc);
comment on function same(anyelement) is 'as it is';
select obj_description('same(anyelement)'::regprocedure, 'pg_proc');
create or replace function same(x anyelement) returns anyelement language sql as 'select case when x is not null then x end';
select same(8), same('eight'::text);
create or replace function same_plpgsql(x anyelement) returns anyelement language plpgsql as 'begin return null; end';
select same_plpgsql(8), same_plpgsql('eight'::text);
create or replace function same(x anyelement) returns anyarray language sql as 'select array[x]';
alter function over(anyelement) rename to over_any;
select over_any(1);
drop function over_any(anyelement);
drop function over_any(anyelement);
drop view v;
drop function same(anyelement) cascade;
drop schema rpo cascade;
