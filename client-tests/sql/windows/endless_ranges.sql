-- Frames of RANGE with offsets, over keys that are infinite or no numbers.
create table endless (id integer primary key, f double precision, r real, n numeric);
insert into endless values (0, '-infinity', '-infinity', '-infinity'), (1, -3, -3, -3), (2, -1, -1, -1), (3, 0, 0, 0), (4, 1.1, 1.1, 1.1), (5, 2, 2, 2), (6, 100, 100, 100), (7, 'infinity', 'infinity', 'infinity'), (8, 'NaN', 'NaN', 'NaN'), (9, null, null, null);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by f range between 'inf' preceding and 'inf' following);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by f range between 'inf' preceding and 'inf' preceding);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by f range between 'inf' following and 'inf' following);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by f desc range between 'inf' preceding and 'inf' following);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by f desc range between 'inf' following and 'inf' following);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by f range between 1.1 preceding and 1.1 following);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by f range between 1.1 preceding and 'NaN' following);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by f range between '-inf' preceding and 1 following);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by r range between 'inf' preceding and 'inf' following);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by r desc range between 'inf' preceding and 'inf' preceding);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by n range between 'inf' preceding and 'inf' following);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by n range between 'inf' following and 'inf' following);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by n desc range between 'inf' preceding and 'inf' preceding);
select id, first_value(id) over w, last_value(id) over w from endless window w as (order by n range between 1.1 preceding and 'NaN' following);
select id, sum(n) over (order by n range between 1 preceding and 'inf' following) from endless;
drop table endless;
