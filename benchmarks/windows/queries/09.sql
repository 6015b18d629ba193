-- Grouping sets.
select l_returnflag, l_linestatus, l_shipmode, count(*), sum(l_quantity), max(l_extendedprice) from lineitem group by rollup (l_returnflag, l_linestatus, l_shipmode) order by 1, 2, 3, 4;
