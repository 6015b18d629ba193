-- file: message detail hint position
-- Attributes that are of domains: tested wherever rows come to be.
create domain cd_pos as int check (value > 0);
create domain cd_text as text not null;
create domain cd_short as varchar(3);
create domain cd_amount as numeric(5,2) check (value < 100);
create type cd_row as (a cd_pos, b cd_text, c cd_short, d cd_amount);
create type cd_outer as (x int, y cd_row, z cd_pos[]);
select q::text from (select row(1,'x','abc',3.456)::cd_row) as q;
select row(-1,'x','abc',3.456)::cd_row;
select row(1,null,'abc',3.456)::cd_row;
select q::text from (select row(1,'x','abcdef',3.456)::cd_row) as q;
select row(1,'x','abc',99.999)::cd_row;
select q::text from (select '(1,x,abc,3.456)'::cd_row) as q;
select '(-1,x,abc,3.456)'::cd_row;
select '(1,,abc,3.456)'::cd_row;
select '(1,x,abcd,3.456)'::cd_row;
select '(1,x,abc,99.999)'::cd_row;
select q::text from (select '(,x,,)'::cd_row) as q;
select null::cd_row;
select q::text from (select '(1,"(1,x,abc,3.456)","{1,2}")'::cd_outer) as q;
select '(1,"(0,x,abc,3.456)","{1,2}")'::cd_outer;
select '(1,"(1,x,abc,3.456)","{1,-2}")'::cd_outer;
select q::text from (select '{"(1,x,abc,3.456)","(2,y,,)"}'::cd_row[]) as q;
select '{"(1,x,abc,3.456)","(-2,y,,)"}'::cd_row[];
select q::text from (select array[row(1,'x','abc',3)::cd_row, row(2,'y','abc',4)::cd_row]) as q;
select q::text from (select row(1, row(1,'x','abc',3), '{1}')::cd_outer) as q;
select row(1, row(0,'x','abc',3), '{1}')::cd_outer;
select row(1, row(1,'x','abc',3), array[0])::cd_outer;
create table cd_rows (k int primary key, v cd_row, w cd_outer, u cd_row[]);
insert into cd_rows values (1, row(1,'x','abc',3), row(1, row(1,'x','abc',3), '{1}'), '{"(1,x,abc,3.456)"}');
insert into cd_rows values (2, row(0,'x','abc',3), null, null);
insert into cd_rows values (2, '(0,x,abc,3)', null, null);
insert into cd_rows values (2, '(3,x,abc,3)', null, null);
insert into cd_rows (k, v.a) values (3, 5);
insert into cd_rows (k, v.a, v.b) values (3, 5, 'q');
insert into cd_rows (k, v.a, v.b) values (4, -5, 'q');
insert into cd_rows (k, v.b) values (4, 'q');
select q::text from (select * from cd_rows order by k) as q order by 1;
update cd_rows set v.a = 7 where k = 1;
update cd_rows set v.a = -7 where k = 1;
update cd_rows set v.b = null where k = 1;
update cd_rows set w.y.a = 0 where k = 1;
update cd_rows set w.y.a = 8 where k = 1;
update cd_rows set w.z[2] = 8 where k = 1;
update cd_rows set w.z[3] = -8 where k = 1;
update cd_rows set u[2] = row(1,'z',null,null) where k = 1;
update cd_rows set u[2].a = 0 where k = 1;
update cd_rows set u[3].a = 1 where k = 1;
select q::text from (select * from cd_rows order by k) as q order by 1;
select (v).a, (v).b, (w).y.d, u[1].a from cd_rows order by k;
select (v).* from cd_rows order by k;
copy cd_rows from stdin;
10	(1,x,abc,3.456)	\N	\N
11	(2,x,abc,3.456)	(1,"(1,x,abc,3.456)","{1,2}")	{"(1,x,abc,3.456)"}
\.
copy cd_rows from stdin;
12	(0,x,abc,3.456)	\N	\N
\.
copy cd_rows from stdin;
12	\N	(1,"(1,x,abc,3.456)","{1,-2}")	\N
\.
copy cd_rows from stdin;
12	\N	\N	{"(1,x,abc,300)"}
\.
copy cd_rows from stdin;
12	(1,,,)	\N	\N
\.
copy cd_rows from stdin (format csv);
13,"(1,x,abc,3.456)",,
\.
alter domain cd_pos add check (value < 1000) not valid;
alter type cd_row rename attribute d to dd;
create type cd_third as (a int);
alter type cd_third add attribute b cd_pos;
select '(1,0)'::cd_third;
select q::text from (select '(1,1)'::cd_third) as q;
alter type cd_third alter attribute b type cd_short;
select '(1,abcd)'::cd_third;
select q::text from (select '(1,abc)'::cd_third) as q;
alter type cd_third drop attribute b;
create table cd_table (a cd_pos, b int);
select q::text from (select '(1,2)'::cd_table) as q;
select '(-1,2)'::cd_table;
select '{"(1,2)","(-1,2)"}'::cd_table[];
select q::text from (select row(1,2)::cd_table, '(3,4)'::text::cd_table) as q;
select ('(-3,4)'::text)::cd_table;
select q::text from (select json_populate_record(null::cd_row, '{"a":1,"b":"x"}')) as q;
select json_populate_record(null::cd_row, '{"a":-1,"b":"x"}');
select q::text from (select * from jsonb_to_record('{"a":1,"v":{"a":2,"b":"q"}}') as x(a int, v cd_row)) as q;
select * from jsonb_to_record('{"a":1,"v":{"a":-2,"b":"q"}}') as x(a int, v cd_row);
create function cd_of_row(c cd_row) returns cd_pos language sql as 'select (c).a';
select cd_of_row(row(1,'x',null,null));
select cd_of_row('(1,x,,)');
select cd_of_row('(0,x,,)');
create function cd_made(a int, b text) returns cd_row language sql as 'select row(a, b, null, null)::cd_row';
select q::text from (select cd_made(1, 'x')) as q;
select cd_made(0, 'x');
select * from cd_made(1, 'x');
create function cd_by_fields(x int) returns cd_row language plpgsql as $$ declare c cd_row; begin c.a := x; c.b := 'q'; c.c := 'ab'; return c; end $$;
select q::text from (select cd_by_fields(1)) as q;
select cd_by_fields(0);
create function cd_by_row(x int) returns cd_row language plpgsql as $$ declare c cd_row; begin c := row(x, 'a', 'b', 3); return c; end $$;
select q::text from (select cd_by_row(1)) as q;
select cd_by_row(0);
do $$ declare c cd_row; begin raise notice '%', c; c.b := null; end $$;
do $$ declare c cd_outer; begin c.y.a := 3; raise notice '%', c; end $$;
do $$ declare c cd_outer; begin c.y.b := 3; raise notice '%', c; c.y.a := -3; end $$;
do $$ declare c cd_outer; begin c.z[1] := 3; raise notice '%', c; c.z[2] := -3; end $$;
do $$ declare c cd_row := '(0,x,,)'; begin raise notice '%', c; end $$;
do $$ declare c cd_row[]; begin c[1].a := 3; raise notice '%', c; end $$;
do $$ declare c cd_row[]; begin c[1].b := 3; raise notice '%', c; c[1].a := -3; end $$;
create domain cd_above as cd_row check ((value).a > 5);
select q::text from (select '(6,x,,)'::cd_above) as q;
select '(5,x,,)'::cd_above;
select '(0,x,,)'::cd_above;
select row(0,'x',null,null)::cd_above;
select row(5,'x',null,null)::cd_above;
select count(*) from cd_rows where v = row(7,'x','abc',3)::cd_row;
select q::text from (select v, count(*) from cd_rows group by v order by v) as q order by 1;
select row_to_json(v) from cd_rows order by k;
create table cd_like (like cd_rows);
create view cd_view as select (v).a, v from cd_rows;
select q::text from (select coalesce(v, '(1,x,,)') from cd_rows order by k) as q order by 1;
select case when k = 1 then v else '(0,x,,)' end from cd_rows;
select VALUES_.v from (values ('(0,x,,)'::cd_row)) as values_(v);
select q::text from (select unnest('{"(1,x,,)"}'::cd_row[])) as q;
merge into cd_rows using (select 1 as k) s on cd_rows.k = s.k when matched then update set v = '(9,m,,)';
merge into cd_rows using (select 1 as k) s on cd_rows.k = s.k when matched then update set v = '(0,m,,)';
insert into cd_rows values (1) on conflict (k) do update set v.a = 0;
insert into cd_rows values (1) on conflict (k) do update set v.a = 11 returning v::text;
create table cd_defaults (v cd_row default '(1,x,,)');
insert into cd_defaults default values returning cd_defaults::text;
create table cd_refused (v cd_row default '(0,x,,)');
create table cd_late (v cd_row default row(0,'x',null,null));
insert into cd_late default values returning *;
alter table cd_defaults add column w cd_row default '(2,y,,)';
select q::text from (select * from cd_defaults) as q;
select q::text from (select * from cd_defaults) as q;
select q::text from (select array_agg(v) from cd_defaults) as q;
select q::text from (select v::text, v::text::cd_row from cd_defaults) as q;
select format('%s', v) from cd_defaults;
select to_json(u), to_jsonb(w) from cd_rows order by k;
drop view cd_view;
drop function cd_of_row, cd_made, cd_by_fields, cd_by_row;
drop table cd_rows, cd_like, cd_defaults, cd_late, cd_table;
drop domain cd_above;
drop type cd_outer, cd_third, cd_row;
drop domain cd_pos, cd_text, cd_short, cd_amount;
