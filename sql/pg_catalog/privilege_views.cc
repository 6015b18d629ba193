#include "sql/pg_catalog/system_views.h"

namespace gnomon::sql::pg_catalog {
namespace {

/// Who asks sees what he, or a role whose rights he has, has given or been given, and what everybody has.
constexpr SystemView kViews[] = {
    {13416, "information_schema", "table_privileges",
     "grantor name,grantee name,table_catalog name,table_schema name,table_name name,privilege_type varchar,"
     "is_grantable varchar,with_hierarchy varchar",
     R"(
    SELECT g.rolname, r.rolname, current_database(), n.nspname, c.relname, x.privilege_type,
           CASE WHEN x.is_grantable OR pg_catalog.pg_has_role(x.grantee, c.relowner, 'USAGE') THEN 'YES' ELSE 'NO' END,
           CASE x.privilege_type WHEN 'SELECT' THEN 'YES' ELSE 'NO' END
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner))) x
      JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
      JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC'::name) r
        ON r.oid = x.grantee
    WHERE c.relkind IN ('r', 'v', 'p')
      AND (x.grantee = 0 OR pg_catalog.pg_has_role(x.grantor, 'USAGE')
           OR pg_catalog.pg_has_role(x.grantee, 'USAGE')))"},
    {13421, "information_schema", "role_table_grants",
     "grantor name,grantee name,table_catalog name,table_schema name,table_name name,privilege_type varchar,"
     "is_grantable varchar,with_hierarchy varchar",
     R"(
    SELECT * FROM information_schema.table_privileges
    WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles)
       OR grantee IN (SELECT role_name FROM information_schema.enabled_roles))"},
    {13285, "information_schema", "column_privileges",
     "grantor name,grantee name,table_catalog name,table_schema name,table_name name,column_name name,"
     "privilege_type varchar,is_grantable varchar",
     R"(
    SELECT g.rolname, r.rolname, current_database(), n.nspname, x.relname, x.attname, x.privilege_type,
           CASE WHEN x.is_grantable OR pg_catalog.pg_has_role(x.grantee, x.relowner, 'USAGE') THEN 'YES' ELSE 'NO' END
    FROM (SELECT t.grantor, t.grantee, t.privilege_type, t.is_grantable, a.attname, c.relname, c.relnamespace,
                 c.relowner
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
            CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner))) t
          WHERE c.relkind IN ('r', 'v', 'p') AND a.attnum > 0 AND NOT a.attisdropped
          UNION
          SELECT t.grantor, t.grantee, t.privilege_type, t.is_grantable, a.attname, c.relname, c.relnamespace,
                 c.relowner
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
            CROSS JOIN LATERAL pg_catalog.aclexplode(a.attacl) t
          WHERE c.relkind IN ('r', 'v', 'p') AND a.attnum > 0 AND NOT a.attisdropped) x
      JOIN pg_catalog.pg_namespace n ON n.oid = x.relnamespace
      JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
      JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC'::name) r
        ON r.oid = x.grantee
    WHERE x.privilege_type IN ('INSERT', 'SELECT', 'UPDATE', 'REFERENCES')
      AND (x.grantee = 0 OR pg_catalog.pg_has_role(x.grantor, 'USAGE')
           OR pg_catalog.pg_has_role(x.grantee, 'USAGE')))"},
    {13344, "information_schema", "role_column_grants",
     "grantor name,grantee name,table_catalog name,table_schema name,table_name name,column_name name,"
     "privilege_type varchar,is_grantable varchar",
     R"(
    SELECT * FROM information_schema.column_privileges
    WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles)
       OR grantee IN (SELECT role_name FROM information_schema.enabled_roles))"},
    {13454, "information_schema", "usage_privileges",
     "grantor name,grantee name,object_catalog name,object_schema name,object_name name,object_type varchar,"
     "privilege_type varchar,is_grantable varchar",
     R"(
    SELECT g.rolname, 'PUBLIC', current_database(), n.nspname, c.collname, 'COLLATION', 'USAGE', 'NO'
    FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace
      JOIN pg_catalog.pg_authid g ON g.oid = c.collowner
    WHERE c.collencoding IN (-1, (SELECT encoding FROM pg_catalog.pg_database WHERE datname = current_database()))
    UNION ALL
    SELECT g.rolname, r.rolname, current_database(), n.nspname, t.typname, 'DOMAIN', 'USAGE',
           CASE WHEN x.is_grantable OR pg_catalog.pg_has_role(x.grantee, t.typowner, 'USAGE') THEN 'YES' ELSE 'NO' END
    FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
      CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(t.typacl, pg_catalog.acldefault('T', t.typowner))) x
      JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
      JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC'::name) r
        ON r.oid = x.grantee
    WHERE t.typtype = 'd'
      AND (x.grantee = 0 OR pg_catalog.pg_has_role(x.grantor, 'USAGE')
           OR pg_catalog.pg_has_role(x.grantee, 'USAGE'))
    UNION ALL
    SELECT g.rolname, r.rolname, current_database(), n.nspname, c.relname, 'SEQUENCE', 'USAGE',
           CASE WHEN x.is_grantable OR pg_catalog.pg_has_role(x.grantee, c.relowner, 'USAGE') THEN 'YES' ELSE 'NO' END
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner))) x
      JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
      JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC'::name) r
        ON r.oid = x.grantee
    WHERE c.relkind = 'S' AND x.privilege_type = 'USAGE'
      AND (x.grantee = 0 OR pg_catalog.pg_has_role(x.grantor, 'USAGE')
           OR pg_catalog.pg_has_role(x.grantee, 'USAGE')))"},
    {13459, "information_schema", "role_usage_grants",
     "grantor name,grantee name,object_catalog name,object_schema name,object_name name,object_type varchar,"
     "privilege_type varchar,is_grantable varchar",
     R"(
    SELECT * FROM information_schema.usage_privileges
    WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles)
       OR grantee IN (SELECT role_name FROM information_schema.enabled_roles))"},
    {13445, "information_schema", "udt_privileges",
     "grantor name,grantee name,udt_catalog name,udt_schema name,udt_name name,privilege_type varchar,"
     "is_grantable varchar",
     R"(
    SELECT g.rolname, r.rolname, current_database(), n.nspname, t.typname, 'TYPE USAGE',
           CASE WHEN x.is_grantable OR pg_catalog.pg_has_role(x.grantee, t.typowner, 'USAGE') THEN 'YES' ELSE 'NO' END
    FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
      CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(t.typacl, pg_catalog.acldefault('T', t.typowner))) x
      JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
      JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC'::name) r
        ON r.oid = x.grantee
    WHERE t.typtype = 'c'
      AND (x.grantee = 0 OR pg_catalog.pg_has_role(x.grantor, 'USAGE')
           OR pg_catalog.pg_has_role(x.grantee, 'USAGE')))"},
    {13450, "information_schema", "role_udt_grants",
     "grantor name,grantee name,udt_catalog name,udt_schema name,udt_name name,privilege_type varchar,"
     "is_grantable varchar",
     R"(
    SELECT * FROM information_schema.udt_privileges
    WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles)
       OR grantee IN (SELECT role_name FROM information_schema.enabled_roles))"},
    {13353, "information_schema", "routine_privileges",
     "grantor name,grantee name,specific_catalog name,specific_schema name,specific_name name,"
     "routine_catalog name,routine_schema name,routine_name name,privilege_type varchar,is_grantable varchar",
     R"(
    SELECT g.rolname, r.rolname, current_database(), n.nspname, p.proname || '_' || p.oid, current_database(),
           n.nspname, p.proname, 'EXECUTE',
           CASE WHEN x.is_grantable OR pg_catalog.pg_has_role(x.grantee, p.proowner, 'USAGE') THEN 'YES' ELSE 'NO' END
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) x
      JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
      JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC'::name) r
        ON r.oid = x.grantee
    WHERE (x.grantee = 0 OR pg_catalog.pg_has_role(x.grantor, 'USAGE')
           OR pg_catalog.pg_has_role(x.grantee, 'USAGE')))"},
    {13358, "information_schema", "role_routine_grants",
     "grantor name,grantee name,specific_catalog name,specific_schema name,specific_name name,"
     "routine_catalog name,routine_schema name,routine_name name,privilege_type varchar,is_grantable varchar",
     R"(
    SELECT * FROM information_schema.routine_privileges
    WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles)
       OR grantee IN (SELECT role_name FROM information_schema.enabled_roles))"},
};

}  // namespace

std::span<const SystemView> privilegeViews() {
  return kViews;
}

}  // namespace gnomon::sql::pg_catalog
