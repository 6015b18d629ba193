-- Functions without parentheses in FROM.
select d = current_date from current_date as d;
select current_date = current_date from current_date;
select count(*), bool_and(t.x = current_timestamp) from current_timestamp t(x), generate_series(1, 3);
select * from current_user u where u <> current_user;
select * from current_schema;
