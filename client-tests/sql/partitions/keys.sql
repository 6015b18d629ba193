-- file: message
CREATE TABLE ref (id integer PRIMARY KEY, name text);
INSERT INTO ref VALUES (1, 'one'), (2, 'two');
CREATE TABLE bad (a integer PRIMARY KEY, b integer) PARTITION BY RANGE (b);
CREATE TABLE bad (a integer, b integer, UNIQUE (a)) PARTITION BY RANGE (a, b);
CREATE TABLE bad (a integer, b integer, UNIQUE (a, b)) PARTITION BY RANGE ((a + b));
CREATE TABLE t (w integer NOT NULL, id integer, v text DEFAULT 'dv', r integer REFERENCES ref, CHECK (id > 0), PRIMARY KEY (w, id)) PARTITION BY RANGE (w);
CREATE INDEX t_v ON t (v);
CREATE TABLE t0 PARTITION OF t FOR VALUES FROM (MINVALUE) TO (4);
CREATE TABLE t1 PARTITION OF t (CONSTRAINT small CHECK (id < 1000), v DEFAULT 'own', r NOT NULL) FOR VALUES FROM (4) TO (50);
DROP TABLE t1;
CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (4) TO (50);
CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (50) TO (MAXVALUE);
INSERT INTO t (w, id, r) SELECT g % 10, g, 1 + g % 2 FROM generate_series(1, 200) g;
INSERT INTO t VALUES (5, 5, 'dup', 1);
INSERT INTO t VALUES (5, 500, 'fk', 3);
INSERT INTO t VALUES (5, 0, 'check', 1);
INSERT INTO t VALUES (NULL, 1, 'null', 1);
SELECT * FROM t WHERE w = 5 AND id = 15;
SELECT w, id FROM t WHERE w = 5 AND id > 100 ORDER BY id LIMIT 3;
SELECT w, id FROM t WHERE w = 5 ORDER BY id DESC LIMIT 3;
SELECT min(id), max(id) FROM t WHERE w = 7;
SELECT min(id), max(id) FROM t;
SELECT w, id FROM t ORDER BY w, id LIMIT 5;
SELECT count(*) FROM t JOIN ref ON ref.id = t.r WHERE t.w = 3;
SELECT * FROM ref JOIN t ON t.w = ref.id AND t.id = ref.id + 10 ORDER BY ref.id;
INSERT INTO t VALUES (5, 5, 'up', 1), (5, 1005, 'new', 2) ON CONFLICT (w, id) DO UPDATE SET v = excluded.v || '!' RETURNING *;
INSERT INTO t VALUES (5, 5, 'up', 1), (6, 6, 'new', 2) ON CONFLICT DO NOTHING RETURNING *;
INSERT INTO t VALUES (5, 5, 'up', 1) ON CONFLICT ON CONSTRAINT t_pkey DO UPDATE SET v = 'named' WHERE t.id = 5;
SELECT * FROM t WHERE w = 5 AND id IN (5, 1005) ORDER BY id;
UPDATE t SET id = 15 WHERE w = 5 AND id = 5;
UPDATE t SET r = 7 WHERE w = 5 AND id = 5;
UPDATE t SET w = 6, id = 6 WHERE w = 5 AND id = 5;
UPDATE t SET w = 60 WHERE w = 5 AND id = 5 RETURNING w, id, v;
DELETE FROM ref WHERE id = 1;
UPDATE ref SET id = 9 WHERE id = 2;
SELECT * FROM t WHERE v = 'new' ORDER BY id;
SELECT w, id FROM t WHERE w = 60 FOR UPDATE;
COPY t (w, id, v, r) FROM STDIN;
70	1	copied	1
71	2	copied	2
72	3	copied	1
\.
COPY t (w, id, v, r) FROM STDIN;
70	1	twice	1
\.
COPY t (w, id, v, r) FROM STDIN;
70	0	check	1
\.
SELECT * FROM t WHERE w >= 70 ORDER BY w;
COPY t TO STDOUT;
COPY (SELECT * FROM t WHERE w >= 70 ORDER BY w) TO STDOUT;
CREATE UNIQUE INDEX ON t (id);
CREATE INDEX CONCURRENTLY ON t (id);
CREATE UNIQUE INDEX t_u ON t (w, v, id);
SELECT indexrelid::regclass::text, indrelid::regclass::text, indisunique, indisprimary FROM pg_index WHERE indrelid IN ('t'::regclass, 't0'::regclass) ORDER BY 1;
SELECT conname, conrelid::regclass::text, contype, conislocal, coninhcount, conparentid <> 0 FROM pg_constraint WHERE conrelid IN ('t'::regclass, 't0'::regclass) ORDER BY conrelid::regclass::text, 1;
DROP INDEX t0_v_idx;
DROP INDEX t_v;
SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid IN ('t'::regclass, 't0'::regclass) ORDER BY 1;
DROP INDEX t_pkey;
ALTER TABLE t0 DROP CONSTRAINT t0_pkey;
ALTER TABLE t0 DROP CONSTRAINT t_id_check;
ALTER TABLE t DROP CONSTRAINT t_pkey;
INSERT INTO t VALUES (60, 5, 'again', 1);
ALTER TABLE t ADD PRIMARY KEY (w, id);
DELETE FROM t WHERE v = 'again';
ALTER TABLE t ADD PRIMARY KEY (w, id);
INSERT INTO t VALUES (60, 5, 'again', 1);
ALTER TABLE t ADD CONSTRAINT v_short CHECK (length(v) < 10);
INSERT INTO t VALUES (61, 5, 'far too long a text', 1);
INSERT INTO t0 SELECT w, id + 100000, 'far too long a text', r FROM t0 LIMIT 1;
ALTER TABLE t DROP CONSTRAINT v_short;
INSERT INTO t VALUES (61, 5, 'far too long a text', 1);
DROP TABLE t;
CREATE TABLE lim (a integer, b integer) PARTITION BY RANGE (a);
CREATE TABLE lim1 PARTITION OF lim (b NOT NULL DEFAULT 7, CONSTRAINT own CHECK (b < 100)) FOR VALUES FROM (0) TO (10);
CREATE TABLE lim2 PARTITION OF lim FOR VALUES FROM (10) TO (20);
INSERT INTO lim VALUES (1, 1), (11, 1000), (12, NULL);
INSERT INTO lim VALUES (2, 1000);
INSERT INTO lim VALUES (2, NULL);
INSERT INTO lim (a) VALUES (2);
INSERT INTO lim1 (a) VALUES (2);
UPDATE lim SET a = 3 WHERE a = 11;
UPDATE lim SET b = NULL;
UPDATE lim SET b = 500 WHERE a = 1;
UPDATE lim SET b = 50 WHERE a = 1 RETURNING *;
SELECT tableoid::regclass::text, * FROM lim ORDER BY a;
DROP TABLE lim;
DROP TABLE ref;
