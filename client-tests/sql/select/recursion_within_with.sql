-- file: message
-- WITH in the recursive term of a recursion, whose tables read the recursion's rows.
with recursive q as (select 1 as a union all (with x as (select * from q) select a + 1 from x where a < 5)) select * from q order by 1;
with recursive q as (select 1 as a union all (with x as (select * from q where a < 5) select a + 1 from x union all select a + 10 from x)) select * from q order by 1;
with recursive q as (select 1 as a union (with x as (select * from q where a < 5), y as (select a + 1 as b from x) select b from y)) select * from q order by 1;
with recursive q as (select 1 as a union all (with x as materialized (select * from q where a < 4) select l.a + r.a from x l, x r)) select * from q order by 1;
with recursive x (a) as ((values ('a'), ('b')) union all (with z as not materialized (select * from x) select z.a || z1.a as a from z cross join z as z1 where length(z.a || z1.a) < 5)) select * from x order by 1;
with recursive q as (select 1 as a union all (with x as (select * from q where a < 4) select max(a) + 1 from x having count(*) > 0)) select * from q order by 1;
with recursive q as (select 1 as a union all (with x as (select * from q where a < 4) select x.a + 1 from x left join x as y on y.a > x.a)) select * from q order by 1;
with recursive x (n) as (with x1 as (select 1 from x) select 0 union select * from x1) select * from x;
with recursive outermost (x) as (with innermost as (select 2 from outermost) select * from innermost union select * from outermost) select * from outermost order by 1;
with recursive q as (select 1 as a union all (with x as (select * from q) select x.a + 1 from x, q where x.a < 3)) select * from q;
with recursive q as (select 1 as a union all (with x as (select l.a from q l, q r) select a + 1 from x where a < 3)) select * from q;
with recursive
  tab (id_key, link) as (values (1, 17), (2, 17), (3, 17), (4, 17), (6, 17), (5, 17)),
  iter (id_key, row_type, link) as (
    select 0, 'base', 17
    union all (
      with remaining (id_key, row_type, link, least_key) as (
        select tab.id_key, 'true'::text, iter.link, min(tab.id_key) over () from tab inner join iter using (link) where tab.id_key > iter.id_key
      ), first_remaining as (
        select id_key, row_type, link from remaining where id_key = least_key
      ), effect as (
        select tab.id_key, 'new'::text, tab.link from first_remaining e inner join tab on e.id_key = tab.id_key where e.row_type = 'false'
      )
      select * from first_remaining union all select * from effect
    )
  )
select * from iter order by 1;
with recursive r (n) as (select 1 union all (with recursive q (k) as (select n from r union all select k + 1 from q where k < 3) select k + 1 from q where k < 3)) select n, count(*) from r group by 1 order by 1;
