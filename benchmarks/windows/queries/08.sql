-- A frame of a week.
select count(*), sum(n) from (select count(*) over (partition by l_suppkey order by l_shipdate range between interval '3 days' preceding and interval '3 days' following) as n from lineitem) as q;
