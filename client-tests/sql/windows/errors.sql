-- Window functions where they are not allowed, windows that do not fit, offsets out of range.
create table w (id integer primary key, g integer, x integer, t text, d date, n numeric(10,2));
insert into w values (1, 1, 10, 'a', '2020-01-01', 1.10), (2, 1, 20, 'b', '2020-01-03', 2.20);
-- message position
select id from w where row_number() over () = 1;
-- message position
select id from w where sum(x) over () = 1;
-- message position
select g from w group by row_number() over ();
-- message position
select row_number() over () from w group by 1;
-- message position
select g from w group by g having rank() over () > 1;
-- message position
select * from w as a join w as b on row_number() over () = 1;
-- message position
update w set x = row_number() over ();
-- message position
insert into w values (row_number() over ());
-- message position
delete from w where rank() over () = 1;
-- message position
delete from w returning row_number() over ();
-- message position
select sum(row_number() over ()) from w;
-- message position
select sum(sum(x) over ()) over () from w;
-- message position
select lag(x, rank() over ()::integer) over () from w;
-- message position
select row_number() over (order by row_number() over ()) from w;
-- message position
select row_number() over (partition by sum(x) over ()) from w;
-- message position
select row_number() from w;
-- message position
select lag(x) from w;
-- message position
select abs(x) over () from w;
-- message position
select no_such_function(x) over () from w;
-- message position
select count(distinct x) over () from w;
-- message position
select row_number() filter (where x > 1) over () from w;
-- message position
select sum(x) over nothing from w;
-- message position
select sum(x) over (nothing order by x) from w;
-- message position
select sum(x) over a from w window a as (order by x), a as (order by id);
-- message position
select sum(x) over (a partition by g) from w window a as (order by x);
-- message position
select sum(x) over (a order by g) from w window a as (order by x);
-- message position
select sum(x) over (a) from w window a as (order by x rows 1 preceding);
-- message position
select sum(x) over (a order by x) from w window a as (rows 1 preceding);
-- message position
select sum(x) over a from w window a as (b order by x), b as (partition by g);
-- message position
select sum(x) over (order by id, x range 1 preceding) from w;
-- message position
select sum(x) over (range 1 preceding) from w;
-- message position
select sum(x) over (groups 1 preceding) from w;
-- message position
select sum(x) over (order by t range 1 preceding) from w;
-- message position
select sum(x) over (order by x range '1 day' preceding) from w;
-- message position
select sum(x) over (order by d range 1 preceding) from w;
-- message position
select sum(x) over (order by x range 1.5 preceding) from w;
-- message position
select sum(x) over (order by id rows x preceding) from w;
-- message position
select sum(x) over (order by id rows 'a' preceding) from w;
-- message position
select sum(x) over (order by id rows 1.5 preceding) from w;
-- message position
select sum(x) over (order by id rows current_date preceding) from w;
-- message
select sum(x) over (order by id rows -1 preceding) from w;
-- message
select sum(x) over (order by id rows between 1 preceding and -1 following) from w;
-- message
select sum(x) over (order by id rows null preceding) from w;
-- message
select sum(x) over (order by id groups between current row and null following) from w;
-- message
select sum(x) over (order by id range -1 preceding) from w;
-- message
select sum(x) over (order by id range between 1 preceding and null following) from w;
-- message
select sum(x) over (order by d range '-1 day' preceding) from w;
-- message
select ntile(0) over (order by id) from w;
-- message
select ntile(-3) over (order by id) from w;
-- message
select nth_value(x, 0) over (order by id) from w;
-- message position
select ntile() over () from w;
-- message position
select ntile('x') over () from w;
-- message position
select ntile(1.5) over () from w;
-- message position
select row_number(x) over () from w;
-- message position
select lag() over () from w;
-- message position
select lag(x, 1, 'abc') over () from w;
-- message position
select lag(x, 1, d) over () from w;
-- message position
select nth_value(x) over () from w;
-- message position
select x, sum(x) over () from w group by g;
-- message position
select g, sum(x) over () from w group by g;
-- message position
select g, sum(sum(x)) over (order by x) from w group by g;
-- message position
select sum(x) over (order by no_such) from w;
-- message position
select 1 from w window a as (order by no_such);
-- message position
select id from w window a as (partition by sum(x) over ());
-- message
select row_number() over () from w for update;
-- message position
select sum(x) over (order by id rows between unbounded following and current row) from w;
-- message position
select sum(x) over (order by id rows between current row and unbounded preceding) from w;
-- message position
select sum(x) over (order by id rows between 1 following and current row) from w;
-- message
select sum(b) over (order by b) from (values (9223372036854775807), (1)) as v (b) where b > 9223372036854775807 - 1 / (b - 1);
select sum(id) over (order by id) from w order by 1;
-- message position
create table refused (a integer default (row_number() over ()));
-- message position
select limit_rows.* from (select id from w limit row_number() over ()) as limit_rows;
