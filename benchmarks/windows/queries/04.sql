-- A frame of a hundred rows that moves.
select sum(s), max(m) from (select sum(l_quantity) over w as s, max(l_extendedprice) over w as m from lineitem window w as (partition by l_suppkey order by l_shipdate, l_orderkey, l_linenumber rows between 100 preceding and current row)) as q;
