-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function constant_folded() returns int language plpgsql as $$ begin return 1 / 0; end $$
select constant_folded();

-- behind: create function constant_in_assignment() returns int language plpgsql as $$ declare x int; begin x := 1 / 0; return x; end $$
select constant_in_assignment();

-- behind: create function constant_in_default() returns int language plpgsql as $$ declare x int := 1 / 0; begin return x; end $$
select constant_in_default();

-- behind: create function constant_in_if() returns int language plpgsql as $$ begin if 1 / 0 = 1 then return 1; end if; return 2; end $$
select constant_in_if();

-- behind: select recursive(0)
select recursive(3);

-- behind: create function mutual_b(n int) returns int language plpgsql as $$ declare x int; begin if n < 0 then x := 1 / (n - n); end if; x := mutual_a(n); return x; end $$
select mutual_a(2);
