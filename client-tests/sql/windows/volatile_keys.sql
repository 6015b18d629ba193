-- Window functions over volatile keys are one where they are written alike.
create table t (x int, y int); insert into t select i % 3, i from generate_series(1, 9) i;
select distinct rank() over (order by random()) from t order by rank() over (order by random());
select distinct count(*) over (partition by random() < 2) from t order by count(*) over (partition by random() < 2);
select distinct count(*) over (partition by random() < 2) from t order by count(*) over (partition by random() < 3);
select distinct count(*) over w from t window w as (partition by random() < 2) order by count(*) over w;
select distinct x, count(*) over (partition by random() < 2) + 1 from t order by x, count(*) over (partition by random() < 2) + 1;
select distinct x, count(*) over (partition by random() < 2) + 1 from t order by x, count(*) over (partition by random() < 2);
select bool_and(a = b) from (select rank() over (order by random()) as a, rank() over (order by random()) as b from t) s;
select distinct on (rank() over (order by random())) x > 0 or true from t order by rank() over (order by random());
select distinct bool_and(random() < 2) over (partition by x) from t order by bool_and(random() < 2) over (partition by x);
select distinct ntile(2) over (order by x, random()) from t order by ntile(2) over (order by x, random());
select distinct ntile(2) over (order by x, random()) from t order by ntile(3) over (order by x, random());
drop table t;
