-- One partition: a rank over all rows.
select count(*), max(r), sum(d) from (select rank() over (order by l_extendedprice) as r, dense_rank() over (order by l_extendedprice) as d from lineitem) as q;
