-- Running sums in large partitions.
select count(*), sum(s) from (select sum(l_quantity) over (partition by l_suppkey order by l_shipdate, l_orderkey, l_linenumber) as s from lineitem) as q;
