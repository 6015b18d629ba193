-- pg_get_keywords.
select * from pg_get_keywords() order by word;
select catcode, catdesc, count(*), pg_typeof(catcode) from pg_get_keywords() group by 1, 2, 4 order by 1;
select string_agg(word, ',' order by word) from pg_catalog.pg_get_keywords() where word <> all ('{select,from,where}'::text[]) and catcode = 'R';
select k.word, n from pg_get_keywords() with ordinality as k (word, code, bare, d, e, n) where n < 4 order by n;
select pg_get_keywords(1);
