#include "sql/pg_catalog/system_views.h"

namespace gnomon::sql::pg_catalog {
namespace {

/// Those of information_schema show what who asks has rights on. An empty query: there is nothing of the kind.
constexpr SystemView kViews[] = {
    {12033, "pg_catalog", "pg_tables",
     "schemaname name,tablename name,tableowner name,tablespace name,hasindexes bool,hasrules bool,hastriggers bool,"
     "rowsecurity bool",
     R"(
    SELECT n.nspname, c.relname, pg_catalog.pg_get_userbyid(c.relowner), NULL, c.relhasindex, c.relhasrules,
           c.relhastriggers, c.relrowsecurity
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p'))"},
    {12028, "pg_catalog", "pg_views", "schemaname name,viewname name,viewowner name,definition text",
     R"(
    SELECT n.nspname, c.relname, pg_catalog.pg_get_userbyid(c.relowner), pg_catalog.pg_get_viewdef(c.oid)
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'v')"},
    {12038, "pg_catalog", "pg_matviews",
     "schemaname name,matviewname name,matviewowner name,tablespace name,hasindexes bool,ispopulated bool,"
     "definition text",
     R"(
    SELECT n.nspname, c.relname, pg_catalog.pg_get_userbyid(c.relowner), NULL, c.relhasindex, c.relispopulated,
           pg_catalog.pg_get_viewdef(c.oid)
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'm')"},
    {12043, "pg_catalog", "pg_indexes", "schemaname name,tablename name,indexname name,tablespace name,indexdef text",
     R"(
    SELECT n.nspname, c.relname, i.relname, NULL, pg_catalog.pg_get_indexdef(i.oid)
    FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indrelid
      JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace)"},
    {12005, "pg_catalog", "pg_shadow",
     "usename name,usesysid oid,usecreatedb bool,usesuper bool,userepl bool,usebypassrls bool,passwd text,"
     "valuntil timestamptz,useconfig _text",
     R"(
    SELECT rolname, a.oid, rolcreatedb, rolsuper, rolreplication, rolbypassrls, rolpassword, rolvaliduntil, s.setconfig
    FROM pg_catalog.pg_authid a LEFT JOIN pg_catalog.pg_db_role_setting s ON a.oid = setrole AND setdatabase = 0
    WHERE rolcanlogin)"},
    {12010, "pg_catalog", "pg_group", "groname name,grosysid oid,grolist _oid",
     R"(
    SELECT rolname, oid, ARRAY(SELECT member FROM pg_catalog.pg_auth_members WHERE roleid = oid)
    FROM pg_catalog.pg_authid WHERE NOT rolcanlogin)"},
    {12014, "pg_catalog", "pg_user",
     "usename name,usesysid oid,usecreatedb bool,usesuper bool,userepl bool,usebypassrls bool,passwd text,"
     "valuntil timestamptz,useconfig _text",
     R"(
    SELECT usename, usesysid, usecreatedb, usesuper, userepl, usebypassrls, '********', valuntil, useconfig
    FROM pg_catalog.pg_shadow)"},
    {12048, "pg_catalog", "pg_sequences",
     "schemaname name,sequencename name,sequenceowner name,data_type regtype,start_value int8,min_value int8,"
     "max_value int8,increment_by int8,cycle bool,cache_size int8,last_value int8",
     R"(
    SELECT n.nspname, c.relname, pg_catalog.pg_get_userbyid(c.relowner), s.seqtypid, s.seqstart, s.seqmin, s.seqmax,
           s.seqincrement, s.seqcycle, s.seqcache, pg_catalog.pg_sequence_last_value(c.oid)
    FROM pg_catalog.pg_sequence s JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace)"},
    {13227, "information_schema", "information_schema_catalog_name", "catalog_name name",
     R"(SELECT current_database())"},
    {13382, "information_schema", "schemata",
     "catalog_name name,schema_name name,schema_owner name,default_character_set_catalog name,"
     "default_character_set_schema name,default_character_set_name name,sql_path varchar",
     R"(
    SELECT current_database(), nspname, pg_catalog.pg_get_userbyid(nspowner), NULL, NULL, NULL, NULL
    FROM pg_catalog.pg_namespace n
    WHERE pg_catalog.pg_has_role(nspowner, 'USAGE') OR pg_catalog.has_schema_privilege(n.oid, 'CREATE, USAGE'))"},
    {13425, "information_schema", "tables",
     "table_catalog name,table_schema name,table_name name,table_type varchar,self_referencing_column_name name,"
     "reference_generation varchar,user_defined_type_catalog name,user_defined_type_schema name,"
     "user_defined_type_name name,is_insertable_into varchar,is_typed varchar,commit_action varchar",
     R"(
    SELECT current_database(), n.nspname, c.relname,
           CASE WHEN n.oid = pg_catalog.pg_my_temp_schema() THEN 'LOCAL TEMPORARY'
                WHEN c.relkind IN ('r', 'p') THEN 'BASE TABLE' ELSE 'VIEW' END,
           NULL, NULL, NULL, NULL, NULL,
           CASE WHEN pg_catalog.pg_relation_is_updatable(c.oid, false) & 8 = 8 THEN 'YES' ELSE 'NO' END, 'NO', NULL
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'v', 'p') AND NOT pg_catalog.pg_is_other_temp_schema(n.oid)
      AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
           OR pg_catalog.has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')))"},
    {13483, "information_schema", "views",
     "table_catalog name,table_schema name,table_name name,view_definition varchar,check_option varchar,"
     "is_updatable varchar,is_insertable_into varchar,is_trigger_updatable varchar,is_trigger_deletable varchar,"
     "is_trigger_insertable_into varchar",
     R"(
    SELECT current_database(), n.nspname, c.relname,
           CASE WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') THEN pg_catalog.pg_get_viewdef(c.oid) END,
           CASE WHEN 'check_option=cascaded' = ANY (c.reloptions) THEN 'CASCADED'
                WHEN 'check_option=local' = ANY (c.reloptions) THEN 'LOCAL' ELSE 'NONE' END,
           CASE WHEN pg_catalog.pg_relation_is_updatable(c.oid, false) & 20 = 20 THEN 'YES' ELSE 'NO' END,
           CASE WHEN pg_catalog.pg_relation_is_updatable(c.oid, false) & 8 = 8 THEN 'YES' ELSE 'NO' END,
           CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND t.tgtype & 81 = 81)
                THEN 'YES' ELSE 'NO' END,
           CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND t.tgtype & 73 = 73)
                THEN 'YES' ELSE 'NO' END,
           CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND t.tgtype & 69 = 69)
                THEN 'YES' ELSE 'NO' END
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'v'
      AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
           OR pg_catalog.has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')))"},
    {13295, "information_schema", "columns",
     "table_catalog name,table_schema name,table_name name,column_name name,ordinal_position int4,"
     "column_default varchar,is_nullable varchar,data_type varchar,character_maximum_length int4,"
     "character_octet_length int4,numeric_precision int4,numeric_precision_radix int4,numeric_scale int4,"
     "datetime_precision int4,interval_type varchar,interval_precision int4,character_set_catalog name,"
     "character_set_schema name,character_set_name name,collation_catalog name,collation_schema name,"
     "collation_name name,domain_catalog name,domain_schema name,domain_name name,udt_catalog name,udt_schema name,"
     "udt_name name,scope_catalog name,scope_schema name,scope_name name,maximum_cardinality int4,dtd_identifier name,"
     "is_self_referencing varchar,is_identity varchar,identity_generation varchar,identity_start varchar,"
     "identity_increment varchar,identity_maximum varchar,identity_minimum varchar,identity_cycle varchar,"
     "is_generated varchar,generation_expression varchar,is_updatable varchar",
     R"(
    SELECT current_database(), n.nspname, c.relname, a.attname, a.attnum,
           CASE WHEN a.attgenerated = '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END,
           CASE WHEN a.attnotnull THEN 'NO' ELSE 'YES' END,
           CASE WHEN b.typelem <> 0 AND b.typlen = -1 THEN 'ARRAY'
                WHEN b.typnamespace = 11 THEN pg_catalog.format_type(b.oid, NULL) ELSE 'USER-DEFINED' END,
           CASE WHEN b.oid IN (1042, 1043) AND m.typmod >= 0 THEN m.typmod - 4
                WHEN b.oid IN (1560, 1562) AND m.typmod >= 0 THEN m.typmod END,
           CASE WHEN b.oid IN (25, 1042, 1043)
                THEN CASE WHEN m.typmod < 0 THEN 1073741824 ELSE (m.typmod - 4) * 4 END END,
           CASE b.oid WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53
                WHEN 1700 THEN CASE WHEN m.typmod >= 0 THEN ((m.typmod - 4) >> 16) & 65535 END END,
           CASE WHEN b.oid IN (20, 21, 23, 700, 701) THEN 2 WHEN b.oid = 1700 THEN 10 END,
           CASE WHEN b.oid IN (20, 21, 23) THEN 0
                WHEN b.oid = 1700 AND m.typmod >= 0 THEN (m.typmod - 4) & 65535 END,
           CASE WHEN b.oid = 1082 THEN 0
                WHEN b.oid IN (1083, 1114, 1184, 1266) THEN CASE WHEN m.typmod < 0 THEN 6 ELSE m.typmod END
                WHEN b.oid = 1186 THEN CASE WHEN m.typmod < 0 OR m.typmod & 65535 = 65535 THEN 6
                                                 ELSE m.typmod & 65535 END END,
           CASE WHEN b.oid = 1186
                THEN upper(substring(pg_catalog.format_type(b.oid, m.typmod) FROM '^interval[()0-9]* (.+)$'))
           END,
           NULL, NULL, NULL, NULL, CASE WHEN l.oid IS NOT NULL THEN current_database() END,
           CASE WHEN l.oid IS NOT NULL THEN 'pg_catalog' END, l.collname,
           CASE WHEN t.typtype = 'd' THEN current_database() END, CASE WHEN t.typtype = 'd' THEN tn.nspname END,
           CASE WHEN t.typtype = 'd' THEN t.typname END, current_database(), bn.nspname, b.typname, NULL, NULL, NULL, NULL, a.attnum, 'NO',
           CASE WHEN a.attidentity <> '' THEN 'YES' ELSE 'NO' END,
           CASE a.attidentity WHEN 'a' THEN 'ALWAYS' WHEN 'd' THEN 'BY DEFAULT' END, s.seqstart, s.seqincrement,
           s.seqmax, s.seqmin, CASE WHEN s.seqcycle THEN 'YES' ELSE 'NO' END,
           CASE WHEN a.attgenerated <> '' THEN 'ALWAYS' ELSE 'NEVER' END,
           CASE WHEN a.attgenerated <> '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END,
           CASE WHEN pg_catalog.pg_column_is_updatable(c.oid, a.attnum, false) THEN 'YES' ELSE 'NO' END
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
      JOIN pg_catalog.pg_namespace tn ON tn.oid = t.typnamespace
      JOIN pg_catalog.pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
      JOIN pg_catalog.pg_namespace bn ON bn.oid = b.typnamespace
      CROSS JOIN LATERAL (SELECT CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END AS typmod) m
      LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation AND l.collname <> 'default'
      LEFT JOIN (pg_catalog.pg_depend p JOIN pg_catalog.pg_sequence s
                 ON p.classid = 1259 AND s.seqrelid = p.objid AND p.deptype = 'i')
        ON p.refclassid = 1259 AND p.refobjid = c.oid AND p.refobjsubid = a.attnum
    WHERE c.relkind IN ('r', 'v', 'p') AND a.attnum > 0 AND NOT a.attisdropped
      AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
           OR pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES')))"},
    {13386, "information_schema", "sequences",
     "sequence_catalog name,sequence_schema name,sequence_name name,data_type varchar,numeric_precision int4,"
     "numeric_precision_radix int4,numeric_scale int4,start_value varchar,minimum_value varchar,maximum_value varchar,"
     "increment varchar,cycle_option varchar",
     R"(
    SELECT current_database(), n.nspname, c.relname, pg_catalog.format_type(s.seqtypid, NULL),
           CASE s.seqtypid WHEN 21 THEN 16 WHEN 23 THEN 32 ELSE 64 END, 2, 0, s.seqstart, s.seqmin, s.seqmax,
           s.seqincrement, CASE WHEN s.seqcycle THEN 'YES' ELSE 'NO' END
    FROM pg_catalog.pg_sequence s JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d
                      WHERE d.classid = 1259 AND d.objid = c.oid AND d.deptype = 'i')
      AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
           OR CASE WHEN c.relkind = 'S' THEN pg_catalog.has_sequence_privilege(c.oid, 'SELECT, UPDATE, USAGE') END))"},
    {13411, "information_schema", "table_constraints",
     "constraint_catalog name,constraint_schema name,constraint_name name,table_catalog name,table_schema name,"
     "table_name name,constraint_type varchar,is_deferrable varchar,initially_deferred varchar,enforced varchar,"
     "nulls_distinct varchar",
     R"(
    SELECT current_database(), n.nspname, k.conname, current_database(), n.nspname, c.relname,
           CASE k.contype WHEN 'c' THEN 'CHECK' WHEN 'f' THEN 'FOREIGN KEY' WHEN 'p' THEN 'PRIMARY KEY'
                WHEN 'u' THEN 'UNIQUE' END,
           CASE WHEN k.condeferrable THEN 'YES' ELSE 'NO' END, CASE WHEN k.condeferred THEN 'YES' ELSE 'NO' END, 'YES',
           CASE WHEN k.contype = 'u' THEN 'YES' END
    FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE k.contype IN ('c', 'f', 'p', 'u')
      AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
           OR pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'))
    UNION ALL
    SELECT current_database(), n.nspname, n.oid || '_' || c.oid || '_' || a.attnum || '_not_null', current_database(),
           n.nspname, c.relname, 'CHECK', 'NO', 'NO', 'YES', NULL
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attnotnull AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p')
      AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
           OR pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES')))"},
    {13329, "information_schema", "key_column_usage",
     "constraint_catalog name,constraint_schema name,constraint_name name,table_catalog name,table_schema name,"
     "table_name name,column_name name,ordinal_position int4,position_in_unique_constraint int4",
     R"(
    SELECT current_database(), n.nspname, k.conname, current_database(), n.nspname, c.relname, a.attname, u.place,
           CASE WHEN k.contype = 'f'
                THEN (SELECT p.place FROM unnest(x.indkey::int2[]) WITH ORDINALITY p (attnum, place)
                      WHERE p.attnum = k.confkey[u.place]) END
    FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY u (attnum, place)
      JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.attnum
      LEFT JOIN pg_catalog.pg_index x ON x.indexrelid = k.conindid
    WHERE k.contype IN ('p', 'u', 'f')
      AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
           OR pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES')))"},
    {13300, "information_schema", "constraint_column_usage",
     "table_catalog name,table_schema name,table_name name,column_name name,constraint_catalog name,"
     "constraint_schema name,constraint_name name",
     R"(
    SELECT current_database(), n.nspname, c.relname, a.attname, current_database(), n.nspname, k.conname
    FROM pg_catalog.pg_constraint k
      JOIN pg_catalog.pg_class c ON c.oid = CASE k.contype WHEN 'f' THEN k.confrelid ELSE k.conrelid END
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_catalog.pg_attribute a
        ON a.attrelid = c.oid AND a.attnum = ANY (CASE k.contype WHEN 'f' THEN k.confkey ELSE k.conkey END)
    WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE'))"},
    {13339, "information_schema", "referential_constraints",
     "constraint_catalog name,constraint_schema name,constraint_name name,unique_constraint_catalog name,"
     "unique_constraint_schema name,unique_constraint_name name,match_option varchar,update_rule varchar,"
     "delete_rule varchar",
     R"(
    SELECT current_database(), n.nspname, k.conname, CASE WHEN p.oid IS NOT NULL THEN current_database() END,
           CASE WHEN p.oid IS NOT NULL THEN n.nspname END, p.conname,
           CASE k.confmatchtype WHEN 'f' THEN 'FULL' ELSE 'NONE' END,
           CASE k.confupdtype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
                WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END,
           CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
                WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END
    FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_namespace n ON n.oid = k.connamespace
      LEFT JOIN pg_catalog.pg_constraint p ON p.conindid = k.conindid AND p.contype IN ('p', 'u')
      JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
    WHERE k.contype = 'f'
      AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
           OR pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES')))"},
    {13260, "information_schema", "check_constraints",
     "constraint_catalog name,constraint_schema name,constraint_name name,check_clause varchar",
     R"(
    SELECT current_database(), n.nspname, k.conname, substring(pg_catalog.pg_get_constraintdef(k.oid) FROM 7)
    FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_namespace n ON n.oid = k.connamespace
      LEFT JOIN pg_catalog.pg_class c ON c.oid = k.conrelid LEFT JOIN pg_catalog.pg_type t ON t.oid = k.contypid
    WHERE k.contype = 'c' AND pg_catalog.pg_has_role(coalesce(c.relowner, t.typowner), 'USAGE')
    UNION ALL
    SELECT current_database(), n.nspname, n.oid || '_' || c.oid || '_' || a.attnum || '_not_null',
           a.attname || ' IS NOT NULL'
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attnotnull AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p')
      AND pg_catalog.pg_has_role(c.relowner, 'USAGE'))"},
    {13325, "information_schema", "enabled_roles", "role_name name",
     R"(SELECT rolname FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(oid, 'USAGE'))"},
    {13440, "information_schema", "triggers",
     "trigger_catalog name,trigger_schema name,trigger_name name,event_manipulation varchar,event_object_catalog name,"
     "event_object_schema name,event_object_table name,action_order int4,action_condition varchar,"
     "action_statement varchar,action_orientation varchar,action_timing varchar,action_reference_old_table name,"
     "action_reference_new_table name,action_reference_old_row name,action_reference_new_row name,created timestamptz",
     R"(
    SELECT current_database(), n.nspname, t.tgname, e.event, current_database(), n.nspname, c.relname,
           rank() OVER (PARTITION BY c.oid, e.bit, t.tgtype & 1, t.tgtype & 66 ORDER BY t.tgname),
           CASE WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') AND t.tgqual IS NOT NULL
                THEN substring(d.text FROM position(' WHEN (' IN d.text) + 7
                               FOR position(') EXECUTE FUNCTION ' IN d.text) - position(' WHEN (' IN d.text) - 7) END,
           substring(d.text FROM position(' EXECUTE FUNCTION ' IN d.text) + 1),
           CASE WHEN t.tgtype & 1 = 1 THEN 'ROW' ELSE 'STATEMENT' END,
           CASE t.tgtype & 66 WHEN 2 THEN 'BEFORE' WHEN 64 THEN 'INSTEAD OF' ELSE 'AFTER' END,
           t.tgoldtable, t.tgnewtable, NULL, NULL, NULL
    FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      CROSS JOIN LATERAL (SELECT pg_catalog.pg_get_triggerdef(t.oid) AS text) d
      JOIN (VALUES (4, 'INSERT'), (8, 'DELETE'), (16, 'UPDATE')) e (bit, event) ON t.tgtype & e.bit <> 0
    WHERE NOT t.tgisinternal AND NOT pg_catalog.pg_is_other_temp_schema(n.oid)
      AND (pg_catalog.pg_has_role(c.relowner, 'USAGE')
           OR pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')))"},
    {13320, "information_schema", "domains",
     "domain_catalog name,domain_schema name,domain_name name,data_type varchar,character_maximum_length int4,"
     "character_octet_length int4,character_set_catalog name,character_set_schema name,character_set_name name,"
     "collation_catalog name,collation_schema name,collation_name name,numeric_precision int4,"
     "numeric_precision_radix int4,numeric_scale int4,datetime_precision int4,interval_type varchar,"
     "interval_precision int4,domain_default varchar,udt_catalog name,udt_schema name,udt_name name,"
     "scope_catalog name,scope_schema name,scope_name name,maximum_cardinality int4,dtd_identifier name",
     R"(
    SELECT current_database(), n.nspname, t.typname,
           CASE WHEN b.typnamespace = 11 THEN pg_catalog.format_type(t.typbasetype, NULL) ELSE 'USER-DEFINED' END,
           CASE WHEN t.typbasetype IN (1042, 1043) AND t.typtypmod >= 0 THEN t.typtypmod - 4
                WHEN t.typbasetype IN (1560, 1562) AND t.typtypmod >= 0 THEN t.typtypmod END,
           CASE WHEN t.typbasetype IN (25, 1042, 1043)
                THEN CASE WHEN t.typtypmod < 0 THEN 1073741824 ELSE (t.typtypmod - 4) * 4 END END,
           NULL, NULL, NULL, NULL, NULL, NULL,
           CASE t.typbasetype WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53
                WHEN 1700 THEN CASE WHEN t.typtypmod >= 0 THEN ((t.typtypmod - 4) >> 16) & 65535 END END,
           CASE WHEN t.typbasetype IN (20, 21, 23, 700, 701) THEN 2 WHEN t.typbasetype = 1700 THEN 10 END,
           CASE WHEN t.typbasetype IN (20, 21, 23) THEN 0
                WHEN t.typbasetype = 1700 AND t.typtypmod >= 0 THEN (t.typtypmod - 4) & 65535 END,
           CASE WHEN t.typbasetype = 1082 THEN 0
                WHEN t.typbasetype IN (1083, 1114, 1184, 1266) THEN CASE WHEN t.typtypmod < 0 THEN 6 ELSE t.typtypmod END
                WHEN t.typbasetype = 1186 THEN CASE WHEN t.typtypmod < 0 OR t.typtypmod & 65535 = 65535 THEN 6
                                                    ELSE t.typtypmod & 65535 END END,
           CASE WHEN t.typbasetype = 1186
                THEN upper(substring(pg_catalog.format_type(t.typbasetype, t.typtypmod) FROM '^interval[()0-9]* (.+)$'))
           END,
           NULL, t.typdefault, current_database(), bn.nspname, b.typname, NULL, NULL, NULL, NULL, 1
    FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
      JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype JOIN pg_catalog.pg_namespace bn ON bn.oid = b.typnamespace
    WHERE t.typtype = 'd'
      AND (pg_catalog.pg_has_role(t.typowner, 'USAGE') OR pg_catalog.has_type_privilege(t.oid, 'USAGE')))"},
    {13236, "information_schema", "applicable_roles", "grantee name,role_name name,is_grantable varchar",
     R"(
    SELECT a.rolname, b.rolname, CASE WHEN m.admin_option THEN 'YES' ELSE 'NO' END
    FROM (SELECT member, roleid, admin_option FROM pg_catalog.pg_auth_members
          UNION SELECT d.datdba, r.oid, false FROM pg_catalog.pg_database d, pg_catalog.pg_roles r
                WHERE d.datname = current_database() AND r.rolname = 'pg_database_owner') m
      JOIN pg_catalog.pg_roles a ON m.member = a.oid JOIN pg_catalog.pg_roles b ON m.roleid = b.oid
    WHERE pg_catalog.pg_has_role(a.oid, 'USAGE'))"},
    {13241, "information_schema", "administrable_role_authorizations",
     "grantee name,role_name name,is_grantable varchar",
     R"(SELECT * FROM information_schema.applicable_roles WHERE is_grantable = 'YES')"},
    {13377, "information_schema", "routines",
     "specific_catalog name,specific_schema name,specific_name name,routine_catalog name,routine_schema name,"
     "routine_name name,routine_type varchar,module_catalog name,module_schema name,module_name name,"
     "udt_catalog name,udt_schema name,udt_name name,data_type varchar,character_maximum_length int4,"
     "character_octet_length int4,character_set_catalog name,character_set_schema name,character_set_name name,"
     "collation_catalog name,collation_schema name,collation_name name,numeric_precision int4,"
     "numeric_precision_radix int4,numeric_scale int4,datetime_precision int4,interval_type varchar,"
     "interval_precision int4,type_udt_catalog name,type_udt_schema name,type_udt_name name,scope_catalog name,"
     "scope_schema name,scope_name name,maximum_cardinality int4,dtd_identifier name,routine_body varchar,"
     "routine_definition varchar,external_name varchar,external_language varchar,parameter_style varchar,"
     "is_deterministic varchar,sql_data_access varchar,is_null_call varchar,sql_path varchar,"
     "schema_level_routine varchar,max_dynamic_result_sets int4,is_user_defined_cast varchar,"
     "is_implicitly_invocable varchar,security_type varchar,to_sql_specific_catalog name,"
     "to_sql_specific_schema name,to_sql_specific_name name,as_locator varchar,created timestamptz,"
     "last_altered timestamptz,new_savepoint_level varchar,is_udt_dependent varchar,"
     "result_cast_from_data_type varchar,result_cast_as_locator varchar,result_cast_char_max_length int4,"
     "result_cast_char_octet_length int4,result_cast_char_set_catalog name,result_cast_char_set_schema name,"
     "result_cast_char_set_name name,result_cast_collation_catalog name,result_cast_collation_schema name,"
     "result_cast_collation_name name,result_cast_numeric_precision int4,result_cast_numeric_precision_radix int4,"
     "result_cast_numeric_scale int4,result_cast_datetime_precision int4,result_cast_interval_type varchar,"
     "result_cast_interval_precision int4,result_cast_type_udt_catalog name,result_cast_type_udt_schema name,"
     "result_cast_type_udt_name name,result_cast_scope_catalog name,result_cast_scope_schema name,"
     "result_cast_scope_name name,result_cast_maximum_cardinality int4,result_cast_dtd_identifier name",
     R"(
    SELECT current_database(), n.nspname, p.proname || '_' || p.oid, current_database(), n.nspname,
           p.proname, CASE p.prokind WHEN 'f' THEN 'FUNCTION' WHEN 'p' THEN 'PROCEDURE' END, NULL, NULL,
           NULL, NULL, NULL, NULL, CASE WHEN p.prokind = 'p' THEN NULL WHEN t.typelem <> 0 AND t.typlen =
           -1 THEN 'ARRAY' WHEN t.typnamespace = 11 THEN pg_catalog.format_type(t.oid, NULL) ELSE
           'USER-DEFINED' END, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
           NULL, NULL, CASE WHEN t.oid IS NOT NULL THEN current_database() END, tn.nspname, t.typname,
           NULL, NULL, NULL, NULL, CASE WHEN p.prokind <> 'p' THEN '0' END, CASE l.lanname WHEN 'sql' THEN
           'SQL' ELSE 'EXTERNAL' END, p.prosrc, CASE l.lanname WHEN 'c' THEN p.prosrc END,
           upper(l.lanname), 'GENERAL', CASE p.provolatile WHEN 'i' THEN 'YES' ELSE 'NO' END, 'MODIFIES',
           CASE WHEN p.prokind = 'p' THEN NULL WHEN p.proisstrict THEN 'YES' ELSE 'NO' END, NULL, 'YES',
           0, NULL, NULL, CASE WHEN p.prosecdef THEN 'DEFINER' ELSE 'INVOKER' END, NULL, NULL, NULL, 'NO',
           NULL, NULL, NULL, 'NO', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
           NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      JOIN pg_catalog.pg_language l ON l.oid = p.prolang
      LEFT JOIN (pg_catalog.pg_type t JOIN pg_catalog.pg_namespace tn ON tn.oid = t.typnamespace)
        ON t.oid = p.prorettype AND p.prokind <> 'p'
    WHERE pg_catalog.pg_has_role(p.proowner, 'USAGE') OR pg_catalog.has_function_privilege(p.oid, 'EXECUTE'))"},
    {13334, "information_schema", "parameters",
     "specific_catalog name,specific_schema name,specific_name name,ordinal_position int4,parameter_mode varchar,"
     "is_result varchar,as_locator varchar,parameter_name name,data_type varchar,character_maximum_length int4,"
     "character_octet_length int4,character_set_catalog name,character_set_schema name,character_set_name name,"
     "collation_catalog name,collation_schema name,collation_name name,numeric_precision int4,"
     "numeric_precision_radix int4,numeric_scale int4,datetime_precision int4,interval_type varchar,"
     "interval_precision int4,udt_catalog name,udt_schema name,udt_name name,scope_catalog name,scope_schema name,"
     "scope_name name,maximum_cardinality int4,dtd_identifier name,parameter_default varchar",
     R"(
    SELECT current_database(), n.nspname, p.proname || '_' || p.oid, a.place, CASE WHEN p.proargmodes IS
           NULL THEN 'IN' ELSE CASE p.proargmodes[a.place] WHEN 'o' THEN 'OUT' WHEN 'b' THEN 'INOUT' WHEN
           't' THEN 'OUT' ELSE 'IN' END END, 'NO', 'NO', nullif(p.proargnames[a.place], ''), CASE WHEN
           t.typelem <> 0 AND t.typlen = -1 THEN 'ARRAY' WHEN t.typnamespace = 11 THEN
           pg_catalog.format_type(t.oid, NULL) ELSE 'USER-DEFINED' END, NULL, NULL, NULL, NULL, NULL,
           NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, current_database(), tn.nspname,
           t.typname, NULL, NULL, NULL, NULL, a.place, CASE WHEN pg_catalog.pg_has_role(p.proowner, 'USAGE') THEN
           pg_catalog.pg_get_function_arg_default(p.oid, a.place::int4) END
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      CROSS JOIN LATERAL unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY a (type, place)
      JOIN pg_catalog.pg_type t ON t.oid = a.type JOIN pg_catalog.pg_namespace tn ON tn.oid = t.typnamespace
    WHERE pg_catalog.pg_has_role(p.proowner, 'USAGE') OR pg_catalog.has_function_privilege(p.oid, 'EXECUTE'))"},
};

}  // namespace

std::span<const SystemView> systemViews() {
  return kViews;
}

}  // namespace gnomon::sql::pg_catalog
