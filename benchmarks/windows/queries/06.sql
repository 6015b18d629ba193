-- A share of the whole partition.
select count(*) from (select l_extendedprice as p, sum(l_extendedprice) over (partition by l_suppkey) as s from lineitem) as q where p * 100 > s;
