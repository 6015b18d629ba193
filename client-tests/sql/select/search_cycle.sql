-- SEARCH and CYCLE of recursive queries.
create table graph (f integer, t integer, label text);
insert into graph values (1, 2, 'arc 1 -> 2'), (1, 3, 'arc 1 -> 3'), (2, 3, 'arc 2 -> 3'), (1, 4, 'arc 1 -> 4'), (4, 5, 'arc 4 -> 5');
with recursive search_graph (f, t, label) as (select * from graph as g union all select g.* from graph as g, search_graph as sg where g.f = sg.t) search depth first by f, t set seq select * from search_graph order by seq;
with recursive search_graph (f, t, label) as (select * from graph as g union all select g.* from graph as g, search_graph as sg where g.f = sg.t) search breadth first by f, t set seq select * from search_graph order by seq;
with recursive search_graph (f, t, label) as (select * from graph as g union distinct select g.* from graph as g, search_graph as sg where g.f = sg.t) search depth first by f, t set seq select * from search_graph order by seq;
with recursive search_graph (f, t, label) as (select * from graph as g union distinct select g.* from graph as g, search_graph as sg where g.f = sg.t) search breadth first by t set seq select f, t, seq from search_graph order by seq, f;
with recursive x as (select f, t from graph where f = 1 union all select g.f, g.t from x join graph as g on g.f = x.t) search depth first by t set seq select f, t, seq from x order by seq;
insert into graph values (5, 1, 'arc 5 -> 1');
with recursive search_graph (f, t, label) as (select * from graph as g union all select g.* from graph as g, search_graph as sg where g.f = sg.t) cycle f, t set is_cycle using path select * from search_graph order by path;
with recursive search_graph (f, t, label) as (select * from graph as g union all select g.* from graph as g, search_graph as sg where g.f = sg.t) cycle f, t set is_cycle to 'Y' default 'N' using path select * from search_graph order by path;
with recursive search_graph (f, t, label) as (select * from graph as g union distinct select g.* from graph as g, search_graph as sg where g.f = sg.t) cycle f, t set is_cycle to 1 default 0 using path select f, t, is_cycle, path from search_graph order by path;
with recursive search_graph (f, t, label) as (select * from graph as g union all select g.* from graph as g, search_graph as sg where g.f = sg.t) search depth first by f, t set seq cycle f, t set is_cycle using path select * from search_graph order by seq;
with recursive search_graph (f, t, label) as (select * from graph as g union all select g.* from graph as g, search_graph as sg where g.f = sg.t) search breadth first by f, t set seq cycle f, t set is_cycle using path select * from search_graph order by seq, path;
with recursive walk (n) as (select 1 union all select t from graph join walk on f = n) cycle n set looped using path select n, looped, array_length(path, 1) from walk order by path;
with recursive walk (n) as (values (1) union all select t from graph join walk on f = n) cycle n set looped using path select n, looped from walk order by path;
select count(*) from (with recursive walk (n) as (select 1 union all select t from graph join walk as w on f = w.n) cycle n set looped using path select * from walk where not looped) as q;
-- What is refused.
-- message
with recursive x (f, t) as (select f, t from graph union all select g.f, g.t from graph as g, x where g.f = x.t) search depth first by nothing set seq select * from x;
-- message
with recursive x (f, t) as (select f, t from graph union all select g.f, g.t from graph as g, x where g.f = x.t) search depth first by f, f set seq select * from x;
-- message
with recursive x (f, t) as (select f, t from graph union all select g.f, g.t from graph as g, x where g.f = x.t) search depth first by f set f select * from x;
-- message
with recursive x (f, t) as (select f, t from graph union all select g.f, g.t from graph as g, x where g.f = x.t) cycle nothing set c using p select * from x;
-- message
with recursive x (f, t) as (select f, t from graph union all select g.f, g.t from graph as g, x where g.f = x.t) cycle f set f using p select * from x;
-- message
with recursive x (f, t) as (select f, t from graph union all select g.f, g.t from graph as g, x where g.f = x.t) cycle f set c using f select * from x;
-- message
with recursive x (f, t) as (select f, t from graph union all select g.f, g.t from graph as g, x where g.f = x.t) cycle f set c using c select * from x;
-- message
with recursive x (f, t) as (select f, t from graph union all select g.f, g.t from graph as g, x where g.f = x.t) search depth first by f set s cycle f set s using p select * from x;
-- message
with recursive x (f, t) as (select f, t from graph union all select g.f, g.t from graph as g, x where g.f = x.t) search depth first by f set s cycle f set c using s select * from x;
with recursive x (f, t) as (select f, t from graph union all select g.f, g.t from graph as g, x where g.f = x.t) cycle f set c to true default 55 using p select * from x;
-- message
with x (f, t) as (select f, t from graph) search depth first by f set s select * from x;
-- message
with recursive x (f, t) as (select f, t from graph) search depth first by f set s select * from x;
with recursive x (f, t) as (select f, t from graph union all select * from (select g.f, g.t from graph as g, x where g.f = x.t) as q) search depth first by f set s select * from x;
with recursive x (f, t) as ((select 1, 2 union all select f, t from graph) union all select g.f, g.t from graph as g, x where g.f = x.t) search depth first by f set s select * from x;
-- In the recursive term * leaves out what they add, which has a name there all the same.
with recursive walk as (select 1 as n union all select * from walk) cycle n set looped using path select * from walk;
with recursive walk as (select 1 as n union all select walk.* from walk) cycle n set looped using path select * from walk;
with recursive walk as (select 1 as n union all select looped::integer from walk) cycle n set looped using path select * from walk;
with recursive walk as (select 1 as n union all select distinct * from walk) cycle n set looped using path select * from walk;
with recursive walk as (select 1 as n union all select * from walk where n < 1) search breadth first by n set seq select * from walk;
with recursive walk as (select 1 as n, 2 as m union all select w.* from walk as w (a, b) where w.b < 1) search breadth first by n set seq select * from walk;
with recursive walk as (select 1 as n union all select n + 1 from (select 1 as one) as q natural join walk where n < 4) search depth first by n set seq select * from walk order by seq;
-- message
with recursive walk as (select 1 as n union all select * from walk as w (a, b) where n < 1) search breadth first by n set seq select * from walk;
-- message
with recursive x (f) as (select 1 union (with x as (select * from x) select * from x)) search depth first by f set seq select * from x;
-- message
with recursive x (f) as (select 1 union (with y as (select * from x) select * from y)) search depth first by f set seq select * from x;
-- message
with recursive x (f) as ((select 1 union select 2) union select * from x) search depth first by f set seq select * from x;
-- message
with recursive x (f) as (select 1 union (select 2 union select * from x)) search depth first by f set seq select * from x;
-- message
with recursive x (f) as (select 1 union (select 2 union select * from x)) cycle f set c using p select * from x;
