-- file: message
create table marks (g integer, a integer, b text, d numeric(5, 2));
insert into marks select n % 4, (n * 7) % 23, chr(97 + n % 5), n * 0.75 from generate_series(1, 120) as n;
insert into marks values (1, null, null, null), (2, null, 'z', 1), (3, 5, null, null);
select rank(10) within group (order by a), dense_rank(10) within group (order by a), percent_rank(10) within group (order by a), cume_dist(10) within group (order by a) from marks;
select g, rank(10) within group (order by a desc), dense_rank(10) within group (order by a desc), percent_rank(10) within group (order by a desc nulls last), cume_dist(10) within group (order by a nulls first) from marks group by g order by g;
select rank(null) within group (order by a), dense_rank(null) within group (order by a), rank(null) within group (order by a nulls first), dense_rank(null::integer) within group (order by a desc), cume_dist(null) within group (order by a) from marks;
select rank(10, 'c') within group (order by a, b), percent_rank(10, 'c') within group (order by a desc, b), cume_dist(10, 'c') within group (order by a, b desc nulls last), rank('c', 10) within group (order by b, a desc) from marks;
select rank(20.5) within group (order by d), dense_rank(20) within group (order by d), cume_dist(90.00) within group (order by d desc), rank(7.5) within group (order by a), rank('c') within group (order by b) from marks;
select rank(10) within group (order by a) filter (where g > 1), percent_rank(10) within group (order by a) filter (where false), cume_dist(10) within group (order by a) filter (where g = 0), dense_rank(3) within group (order by a) filter (where a is null) from marks;
select rank(1) within group (order by a), percent_rank(1) within group (order by a), cume_dist(1) within group (order by a), dense_rank(1) within group (order by a) from marks where false;
select g from marks group by g having rank(10) within group (order by a) > 12 order by g;
select rank(1) within group (order by x) from (values (1), (1), (2)) as t (x);
select rank(1, 2) within group (order by a) from marks;
select rank() within group (order by a) from marks;
select rank('x') within group (order by a) from marks;
select rank(true) within group (order by a) from marks;
