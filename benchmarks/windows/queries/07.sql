-- The three best rows of each partition.
select count(*), sum(l_extendedprice) from (select l_extendedprice, row_number() over (partition by l_suppkey order by l_extendedprice desc, l_orderkey, l_linenumber) as r from lineitem) as q where r <= 3;
