-- Expressions nested some hundred levels; thousands are in wire/test_limits.py.
select ((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))));
select 1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+(1+1)))))))))))))))))))))))))))));
select not not not not not not not not not not not true;
select - - - - - - - - 1;
select * from (select * from (select * from (select * from (select * from (select * from (select 1 as x) a) b) c) d) e) f;
select case when true then case when true then case when true then case when true then 1 end end end end;
