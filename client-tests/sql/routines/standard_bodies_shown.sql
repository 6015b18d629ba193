-- file: message
-- What is shown of bodies in the manner of the SQL standard.
create schema rss;
set search_path = rss, public;
create table t (a int, b text, c int default 7);
create function s1(x int, y int) returns int return x + y;
create function s2(int) returns int return $1 + 1;
create function s3(x text, y text default 'k') returns text immutable strict parallel safe cost 7 return coalesce(x || y, 'z');
create function s4(x int) returns boolean return x in (1, 2, 3) or x is null and not x between 4 and 5;
create function s5(x int[]) returns int[] return array[1, 2] || x;
create function s6(x int, y bigint default 3) returns bigint return x::bigint * y;
create function s7(x varchar) returns text return x || 'a';
create function s8(d date) returns boolean return d between '2020-01-01' and current_date;
create function s9(x interval) returns timestamptz stable return now() + x;
create function s10(variadic x int[]) returns int return x[1] + array_length(x, 1);
create function s11() returns text return 'a';
create function s12() returns int return 1;
create function s13() returns void return null;
create function s14(x int) returns record return row(x, 1);
create function s16(x int) returns int return s1(x, s2(x));
create function s17() returns void begin atomic end;
create function s18(x int) returns int begin atomic select 1; return x; end;
create function "S 19"("X y" int) returns int return "X y" * 2;
create function s20(x int) returns setof int security definer rows 3 set search_path = 'rss', 'public' begin atomic select t.a from t; end;
create function s21() returns table (p int, q text) begin atomic select t.a, t.b from t limit 3; end;
create procedure s22(in x int, inout y int) return x + y;
select pg_get_functiondef(oid) from pg_proc where pronamespace = 'rss'::regnamespace order by proname;
select proname, pg_get_function_sqlbody(oid), prosrc, prosqlbody is null as has_none from pg_proc where pronamespace = 'rss'::regnamespace order by proname;
create function quoted() returns int language sql as 'select 1';
select pg_get_function_sqlbody('quoted'::regproc), prosrc, prosqlbody is null as has_none from pg_proc where proname = 'quoted';
select routine_name, routine_body, routine_definition, external_language from information_schema.routines where specific_schema = 'rss' order by 1;
-- What statements are like, as far as parentheses go.
create function b1(x int) returns setof t begin atomic select * from t; end;
create function b2(x int) returns int begin atomic insert into t values (x, 'a'); insert into t as y (b) values (b2.x) returning y.a; end;
create function b3(x int) returns int begin atomic insert into t (a, b) values (1, x), (2, x); insert into t default values; delete from t returning a, t.b; select x; end;
create function b4(x int) returns int begin atomic update t set a = x, c = default returning t.a; end;
create function b5(x int) returns int begin atomic select x from t; end;
create function b6(x int) returns int begin atomic select x; end;
create function b7(x int) returns setof int begin atomic values (x), (1); end;
create function b8(x int) returns setof int begin atomic values (x); end;
create function b9(x int) returns int begin atomic insert into t (a, c) select u.a, u.c from t u returning t.a; end;
select pg_get_function_sqlbody(oid) from pg_proc where proname in ('b1', 'b4') and pronamespace = 'rss'::regnamespace order by proname;
-- What is shown makes the same again.
create procedure again() language plpgsql as $$
declare each record; shown text;
begin
  for each in select oid, proname, pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'rss'::regnamespace and proname <> 'again' order by proname loop
    execute each.definition;
    shown := pg_get_functiondef(each.oid);
    if shown is distinct from each.definition then raise notice '% differs: % %', each.proname, each.definition, shown; end if;
  end loop;
end $$;
-- notices
call again();
-- The same after renames.
alter table t rename to tt;
alter table tt rename column a to aa;
alter table tt rename column b to "B";
alter function s1(int, int) rename to s0;
alter function s2(int) rename to "S2";
create schema rss2;
alter function "S2"(int) set schema rss2;
alter function b2(int) rename to b2_renamed;
-- notices
call again();
select pg_get_function_sqlbody('s16'::regproc), s16(4);
insert into tt values (8, 'b8', 9);
select * from b1(1);
select b2_renamed(5), b3(6), b4(7), b9(3);
select * from tt order by 1, 2, 3;
drop schema rss2 cascade;
