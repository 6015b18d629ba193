-- Neighbours.
select count(*), sum(d) from (select l_extendedprice - lag(l_extendedprice) over (partition by l_partkey order by l_shipdate, l_orderkey, l_linenumber) as d from lineitem) as q;
