#include <string>

#include "sql/pg_catalog/facts.h"

namespace gnomon::sql::pg_catalog {
namespace {

constexpr RelationFacts kRelations[] = {
    {2600, "pg_aggregate", 'r',
     "aggfnoid regproc!,aggkind char!,aggnumdirectargs int2!,aggtransfn regproc!,aggfinalfn regproc!,"
     "aggcombinefn regproc!,aggserialfn regproc!,aggdeserialfn regproc!,aggmtransfn regproc!,aggminvtransfn regproc!,"
     "aggmfinalfn regproc!,aggfinalextra bool!,aggmfinalextra bool!,aggfinalmodify char!,aggmfinalmodify char!,"
     "aggsortop oid!,aggtranstype oid!,aggtransspace int4!,aggmtranstype oid!,aggmtransspace int4!,agginitval text,"
     "aggminitval text"},
    {2601, "pg_am", 'r', "oid oid!,amname name!,amhandler regproc!,amtype char!"},
    {2602, "pg_amop", 'r',
     "oid oid!,amopfamily oid!,amoplefttype oid!,amoprighttype oid!,amopstrategy int2!,amoppurpose char!,amopopr oid!,"
     "amopmethod oid!,amopsortfamily oid!"},
    {2603, "pg_amproc", 'r',
     "oid oid!,amprocfamily oid!,amproclefttype oid!,amprocrighttype oid!,amprocnum int2!,amproc regproc!"},
    {2604, "pg_attrdef", 'r', "oid oid!,adrelid oid!,adnum int2!,adbin pg_node_tree!"},
    {1249, "pg_attribute", 'r',
     "attrelid oid!,attname name!,atttypid oid!,attstattarget int4!,attlen int2!,attnum int2!,attndims int4!,"
     "attcacheoff int4!,atttypmod int4!,attbyval bool!,attalign char!,attstorage char!,attcompression char!,"
     "attnotnull bool!,atthasdef bool!,atthasmissing bool!,attidentity char!,attgenerated char!,attisdropped bool!,"
     "attislocal bool!,attinhcount int4!,attcollation oid!,attacl _aclitem,attoptions _text,attfdwoptions _text,"
     "attmissingval text"},
    {1260, "pg_authid", 'r',
     "oid oid!,rolname name!,rolsuper bool!,rolinherit bool!,rolcreaterole bool!,rolcreatedb bool!,rolcanlogin bool!,"
     "rolreplication bool!,rolbypassrls bool!,rolconnlimit int4!,rolpassword text,rolvaliduntil timestamptz"},
    {1261, "pg_auth_members", 'r', "roleid oid!,member oid!,grantor oid!,admin_option bool!"},
    {2605, "pg_cast", 'r', "oid oid!,castsource oid!,casttarget oid!,castfunc oid!,castcontext char!,castmethod char!"},
    {1259, "pg_class", 'r',
     "oid oid!,relname name!,relnamespace oid!,reltype oid!,reloftype oid!,relowner oid!,relam oid!,relfilenode oid!,"
     "reltablespace oid!,relpages int4!,reltuples float4!,relallvisible int4!,reltoastrelid oid!,relhasindex bool!,"
     "relisshared bool!,relpersistence char!,relkind char!,relnatts int2!,relchecks int2!,relhasrules bool!,"
     "relhastriggers bool!,relhassubclass bool!,relrowsecurity bool!,relforcerowsecurity bool!,relispopulated bool!,"
     "relreplident char!,relispartition bool!,relrewrite oid!,relfrozenxid xid!,relminmxid xid!,relacl _aclitem,"
     "reloptions _text,relpartbound pg_node_tree"},
    {3456, "pg_collation", 'r',
     "oid oid!,collname name!,collnamespace oid!,collowner oid!,collprovider char!,collisdeterministic bool!,"
     "collencoding int4!,collcollate text,collctype text,colliculocale text,collversion text"},
    {2606, "pg_constraint", 'r',
     "oid oid!,conname name!,connamespace oid!,contype char!,condeferrable bool!,condeferred bool!,convalidated bool!,"
     "conrelid oid!,contypid oid!,conindid oid!,conparentid oid!,confrelid oid!,confupdtype char!,confdeltype char!,"
     "confmatchtype char!,conislocal bool!,coninhcount int4!,connoinherit bool!,conkey _int2,confkey _int2,"
     "conpfeqop _oid,conppeqop _oid,conffeqop _oid,confdelsetcols _int2,conexclop _oid,conbin pg_node_tree"},
    {2607, "pg_conversion", 'r',
     "oid oid!,conname name!,connamespace oid!,conowner oid!,conforencoding int4!,contoencoding int4!,"
     "conproc regproc!,condefault bool!"},
    {1262, "pg_database", 'r',
     "oid oid!,datname name!,datdba oid!,encoding int4!,datlocprovider char!,datistemplate bool!,datallowconn bool!,"
     "datconnlimit int4!,datfrozenxid xid!,datminmxid xid!,dattablespace oid!,datcollate text!,datctype text!,"
     "daticulocale text,datcollversion text,datacl _aclitem"},
    {2964, "pg_db_role_setting", 'r', "setdatabase oid!,setrole oid!,setconfig _text"},
    {826, "pg_default_acl", 'r',
     "oid oid!,defaclrole oid!,defaclnamespace oid!,defaclobjtype char!,defaclacl _aclitem!"},
    {2608, "pg_depend", 'r',
     "classid oid!,objid oid!,objsubid int4!,refclassid oid!,refobjid oid!,refobjsubid int4!,deptype char!"},
    {2609, "pg_description", 'r', "objoid oid!,classoid oid!,objsubid int4!,description text!"},
    {3501, "pg_enum", 'r', "oid oid!,enumtypid oid!,enumsortorder float4!,enumlabel name!"},
    {3466, "pg_event_trigger", 'r',
     "oid oid!,evtname name!,evtevent name!,evtowner oid!,evtfoid oid!,evtenabled char!,evttags _text"},
    {3079, "pg_extension", 'r',
     "oid oid!,extname name!,extowner oid!,extnamespace oid!,extrelocatable bool!,extversion text!,extconfig _oid,"
     "extcondition _text"},
    {2328, "pg_foreign_data_wrapper", 'r',
     "oid oid!,fdwname name!,fdwowner oid!,fdwhandler oid!,fdwvalidator oid!,fdwacl _aclitem,fdwoptions _text"},
    {1417, "pg_foreign_server", 'r',
     "oid oid!,srvname name!,srvowner oid!,srvfdw oid!,srvtype text,srvversion text,srvacl _aclitem,srvoptions _text"},
    {3118, "pg_foreign_table", 'r', "ftrelid oid!,ftserver oid!,ftoptions _text"},
    {2610, "pg_index", 'r',
     "indexrelid oid!,indrelid oid!,indnatts int2!,indnkeyatts int2!,indisunique bool!,indnullsnotdistinct bool!,"
     "indisprimary bool!,indisexclusion bool!,indimmediate bool!,indisclustered bool!,indisvalid bool!,"
     "indcheckxmin bool!,indisready bool!,indislive bool!,indisreplident bool!,indkey int2vector!,"
     "indcollation oidvector!,indclass oidvector!,indoption int2vector!,indexprs pg_node_tree,indpred pg_node_tree"},
    {2611, "pg_inherits", 'r', "inhrelid oid!,inhparent oid!,inhseqno int4!,inhdetachpending bool!"},
    {3394, "pg_init_privs", 'r', "objoid oid!,classoid oid!,objsubid int4!,privtype char!,initprivs _aclitem!"},
    {2612, "pg_language", 'r',
     "oid oid!,lanname name!,lanowner oid!,lanispl bool!,lanpltrusted bool!,lanplcallfoid oid!,laninline oid!,"
     "lanvalidator oid!,lanacl _aclitem"},
    {2613, "pg_largeobject", 'r', "loid oid!,pageno int4!,data bytea!"},
    {2995, "pg_largeobject_metadata", 'r', "oid oid!,lomowner oid!,lomacl _aclitem"},
    {2615, "pg_namespace", 'r', "oid oid!,nspname name!,nspowner oid!,nspacl _aclitem"},
    {2616, "pg_opclass", 'r',
     "oid oid!,opcmethod oid!,opcname name!,opcnamespace oid!,opcowner oid!,opcfamily oid!,opcintype oid!,"
     "opcdefault bool!,opckeytype oid!"},
    {2617, "pg_operator", 'r',
     "oid oid!,oprname name!,oprnamespace oid!,oprowner oid!,oprkind char!,oprcanmerge bool!,oprcanhash bool!,"
     "oprleft oid!,oprright oid!,oprresult oid!,oprcom oid!,oprnegate oid!,oprcode regproc!,oprrest regproc!,"
     "oprjoin regproc!"},
    {2753, "pg_opfamily", 'r', "oid oid!,opfmethod oid!,opfname name!,opfnamespace oid!,opfowner oid!"},
    {6243, "pg_parameter_acl", 'r', "oid oid!,parname text!,paracl _aclitem"},
    {3350, "pg_partitioned_table", 'r',
     "partrelid oid!,partstrat char!,partnatts int2!,partdefid oid!,partattrs int2vector!,partclass oidvector!,"
     "partcollation oidvector!,partexprs pg_node_tree"},
    {12018, "pg_policies", 'v',
     "schemaname name,tablename name,policyname name,permissive text,roles _name,cmd text,qual text,with_check text"},
    {3256, "pg_policy", 'r',
     "oid oid!,polname name!,polrelid oid!,polcmd char!,polpermissive bool!,polroles _oid!,polqual pg_node_tree,"
     "polwithcheck pg_node_tree"},
    {12090, "pg_prepared_xacts", 'v', "transaction xid,gid text,prepared timestamptz,owner name,database name"},
    {1255, "pg_proc", 'r',
     "oid oid!,proname name!,pronamespace oid!,proowner oid!,prolang oid!,procost float4!,prorows float4!,"
     "provariadic oid!,prosupport regproc!,prokind char!,prosecdef bool!,proleakproof bool!,proisstrict bool!,"
     "proretset bool!,provolatile char!,proparallel char!,pronargs int2!,pronargdefaults int2!,prorettype oid!,"
     "proargtypes oidvector!,proallargtypes _oid,proargmodes _char,proargnames _text,proargdefaults pg_node_tree,"
     "protrftypes _oid,prosrc text!,probin text,prosqlbody pg_node_tree,proconfig _text,proacl _aclitem"},
    {6104, "pg_publication", 'r',
     "oid oid!,pubname name!,pubowner oid!,puballtables bool!,pubinsert bool!,pubupdate bool!,pubdelete bool!,"
     "pubtruncate bool!,pubviaroot bool!"},
    {6237, "pg_publication_namespace", 'r', "oid oid!,pnpubid oid!,pnnspid oid!"},
    {6106, "pg_publication_rel", 'r', "oid oid!,prpubid oid!,prrelid oid!,prqual pg_node_tree,prattrs int2vector"},
    {12068, "pg_publication_tables", 'v', "pubname name,schemaname name,tablename name,attnames _name,rowfilter text"},
    {3541, "pg_range", 'r',
     "rngtypid oid!,rngsubtype oid!,rngmultitypid oid!,rngcollation oid!,rngsubopc oid!,rngcanonical regproc!,"
     "rngsubdiff regproc!"},
    {2618, "pg_rewrite", 'r',
     "oid oid!,rulename name!,ev_class oid!,ev_type char!,ev_enabled char!,is_instead bool!,ev_qual pg_node_tree!,"
     "ev_action pg_node_tree!"},
    {12000, "pg_roles", 'v',
     "rolname name,rolsuper bool,rolinherit bool,rolcreaterole bool,rolcreatedb bool,rolcanlogin bool,"
     "rolreplication bool,rolconnlimit int4,rolpassword text,rolvaliduntil timestamptz,rolbypassrls bool,"
     "rolconfig _text,oid oid"},
    {12023, "pg_rules", 'v', "schemaname name,tablename name,rulename name,definition text"},
    {3596, "pg_seclabel", 'r', "objoid oid!,classoid oid!,objsubid int4!,provider text!,label text!"},
    {12099, "pg_seclabels", 'v',
     "objoid oid,classoid oid,objsubid int4,objtype text,objnamespace oid,objname text,provider text,label text"},
    {2224, "pg_sequence", 'r',
     "seqrelid oid!,seqtypid oid!,seqstart int8!,seqincrement int8!,seqmax int8!,seqmin int8!,seqcache int8!,"
     "seqcycle bool!"},
    {1214, "pg_shdepend", 'r',
     "dbid oid!,classid oid!,objid oid!,objsubid int4!,refclassid oid!,refobjid oid!,deptype char!"},
    {2396, "pg_shdescription", 'r', "objoid oid!,classoid oid!,description text!"},
    {3592, "pg_shseclabel", 'r', "objoid oid!,classoid oid!,provider text!,label text!"},
    {3381, "pg_statistic_ext", 'r',
     "oid oid!,stxrelid oid!,stxname name!,stxnamespace oid!,stxowner oid!,stxstattarget int4!,stxkeys int2vector!,"
     "stxkind _char!,stxexprs pg_node_tree"},
    {6100, "pg_subscription", 'r',
     "oid oid!,subdbid oid!,subskiplsn text!,subname name!,subowner oid!,subenabled bool!,subbinary bool!,"
     "substream bool!,subtwophasestate char!,subdisableonerr bool!,subconninfo text!,subslotname name,"
     "subsynccommit text!,subpublications _text!"},
    {6102, "pg_subscription_rel", 'r', "srsubid oid!,srrelid oid!,srsubstate char!,srsublsn text"},
    {1213, "pg_tablespace", 'r', "oid oid!,spcname name!,spcowner oid!,spcacl _aclitem,spcoptions _text"},
    {3576, "pg_transform", 'r', "oid oid!,trftype oid!,trflang oid!,trffromsql regproc!,trftosql regproc!"},
    {2620, "pg_trigger", 'r',
     "oid oid!,tgrelid oid!,tgparentid oid!,tgname name!,tgfoid oid!,tgtype int2!,tgenabled char!,tgisinternal bool!,"
     "tgconstrrelid oid!,tgconstrindid oid!,tgconstraint oid!,tgdeferrable bool!,tginitdeferred bool!,tgnargs int2!,"
     "tgattr int2vector!,tgargs bytea!,tgqual pg_node_tree,tgoldtable name,tgnewtable name"},
    {3602, "pg_ts_config", 'r', "oid oid!,cfgname name!,cfgnamespace oid!,cfgowner oid!,cfgparser oid!"},
    {3603, "pg_ts_config_map", 'r', "mapcfg oid!,maptokentype int4!,mapseqno int4!,mapdict oid!"},
    {3600, "pg_ts_dict", 'r',
     "oid oid!,dictname name!,dictnamespace oid!,dictowner oid!,dicttemplate oid!,dictinitoption text"},
    {3601, "pg_ts_parser", 'r',
     "oid oid!,prsname name!,prsnamespace oid!,prsstart regproc!,prstoken regproc!,prsend regproc!,"
     "prsheadline regproc!,prslextype regproc!"},
    {3764, "pg_ts_template", 'r', "oid oid!,tmplname name!,tmplnamespace oid!,tmplinit regproc!,tmpllexize regproc!"},
    {1247, "pg_type", 'r',
     "oid oid!,typname name!,typnamespace oid!,typowner oid!,typlen int2!,typbyval bool!,typtype char!,"
     "typcategory char!,typispreferred bool!,typisdefined bool!,typdelim char!,typrelid oid!,typsubscript regproc!,"
     "typelem oid!,typarray oid!,typinput regproc!,typoutput regproc!,typreceive regproc!,typsend regproc!,"
     "typmodin regproc!,typmodout regproc!,typanalyze regproc!,typalign char!,typstorage char!,typnotnull bool!,"
     "typbasetype oid!,typtypmod int4!,typndims int4!,typcollation oid!,typdefaultbin pg_node_tree,typdefault text,"
     "typacl _aclitem"},
    {1418, "pg_user_mapping", 'r', "oid oid!,umuser oid!,umserver oid!,umoptions _text"},
    {12327, "pg_user_mappings", 'v', "umid oid,srvid oid,srvname name,umuser oid,usename name,umoptions _text"},
    {12081, "pg_available_extensions", 'v', "name name,default_version text,installed_version text,comment text"},
    {12257, "pg_replication_slots", 'v',
     "slot_name name,plugin name,slot_type text,datoid oid,database name,temporary bool,active bool,active_pid int4,"
     "xmin xid,catalog_xmin xid,restart_lsn pg_lsn,confirmed_flush_lsn pg_lsn,wal_status text,safe_wal_size int8,"
     "two_phase bool"},
    {12227, "pg_stat_replication", 'v',
     "pid int4,usesysid oid,usename name,application_name text,client_addr inet,client_hostname text,client_port int4,"
     "backend_start timestamptz,backend_xmin xid,state text,sent_lsn pg_lsn,write_lsn pg_lsn,flush_lsn pg_lsn,"
     "replay_lsn pg_lsn,write_lag interval,flush_lag interval,replay_lag interval,sync_priority int4,sync_state text,"
     "reply_time timestamptz"},
    {12122, "pg_timezone_abbrevs", 'v', "abbrev text,utc_offset interval,is_dst bool"},
    {12126, "pg_timezone_names", 'v', "name text,abbrev text,utc_offset interval,is_dst bool"},
    {12129, "pg_settings", 'v',
     "name text,setting text,unit text,category text,short_desc text,extra_desc text,context text,vartype text,"
     "source text,min_val text,max_val text,enumvals _text,boot_val text,reset_val text,sourcefile text,"
     "sourceline int4,pending_restart bool"},
};

/// Relations of PostgreSQL's that are not here.
constexpr std::string_view kMissingCatalogs =
    " pg_available_extension_versions pg_backend_memory_contexts pg_config "
    "pg_file_settings pg_hba_file_rules pg_ident_file_mappings "
    "pg_replication_origin pg_replication_origin_status pg_shmem_allocations "
    "pg_stat_archiver pg_stat_bgwriter "
    "pg_stat_database_conflicts pg_stat_progress_analyze pg_stat_progress_basebackup "
    "pg_stat_progress_cluster pg_stat_progress_copy pg_stat_progress_create_index pg_stat_progress_vacuum "
    "pg_stat_recovery_prefetch pg_stat_replication_slots pg_stat_slru "
    "pg_stat_subscription pg_stat_subscription_stats "
    "pg_stat_user_functions pg_stat_wal pg_stat_wal_receiver "
    "pg_stat_xact_all_tables pg_stat_xact_sys_tables pg_stat_xact_user_functions pg_stat_xact_user_tables "
    "pg_statistic pg_statistic_ext_data pg_stats pg_stats_ext pg_stats_ext_exprs ";
constexpr std::string_view kMissingViews =
    " _pg_foreign_data_wrappers _pg_foreign_servers _pg_foreign_table_columns _pg_foreign_tables "
    "_pg_user_mappings attributes character_sets "
    "check_constraint_routine_usage collation_character_set_applicability collations column_column_usage "
    "column_domain_usage column_options column_udt_usage constraint_table_usage "
    "data_type_privileges domain_constraints domain_udt_usage element_types foreign_data_wrapper_options "
    "foreign_data_wrappers foreign_server_options foreign_servers foreign_table_options foreign_tables "
    "routine_column_usage routine_routine_usage routine_sequence_usage routine_table_usage "
    "sql_features sql_implementation_info sql_parts sql_sizing transforms "
    "triggered_update_columns user_defined_types user_mapping_options "
    "user_mappings view_column_usage view_routine_usage view_table_usage ";

}  // namespace

bool isMissingRelation(std::string_view schema, std::string_view name) {
  const bool in_catalog = schema.empty() || schema == "pg_catalog";
  if (!in_catalog && schema != "information_schema") return false;
  return (in_catalog ? kMissingCatalogs : kMissingViews).contains(" " + std::string(name) + " ");
}

std::span<const RelationFacts> relationFacts() {
  return kRelations;
}

}  // namespace gnomon::sql::pg_catalog
