-- Numbers in small partitions.
select count(*), sum(r) from (select row_number() over (partition by l_orderkey order by l_linenumber) as r from lineitem) as q;
