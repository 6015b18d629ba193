-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: select recursive(0)
select recursive(3);

-- behind: create function mutual_b(n int) returns int language plpgsql as $$ declare x int; begin if n < 0 then x := 1 / (n - n); end if; x := mutual_a(n); return x; end $$
select mutual_a(2);
