#include "sql/functions/hosted_functions.h"

namespace gnomon::sql {

const std::vector<HostedFunction>& hostedFunctions() {
  using enum TypeKind;
  static const std::vector<HostedFunction> functions{
      {kLargeObjectComment, "$large_object_comment", {Oid}, Text},
      {715, "lo_create", {Oid}, Oid},
      {764, "lo_import", {Text}, Oid},
      {765, "lo_export", {Oid, Text}, Integer},
      {767, "lo_import", {Text, Oid}, Oid},
      {952, "lo_open", {Oid, Integer}, Integer},
      {953, "lo_close", {Integer}, Integer},
      {954, "loread", {Integer, Integer}, Bytea},
      {955, "lowrite", {Integer, Bytea}, Integer},
      {956, "lo_lseek", {Integer, Integer, Integer}, Integer},
      {957, "lo_creat", {Integer}, Oid},
      {958, "lo_tell", {Integer}, Integer},
      {964, "lo_unlink", {Oid}, Integer},
      {1004, "lo_truncate", {Integer, Integer}, Integer},
      {3170, "lo_lseek64", {Integer, Bigint, Integer}, Bigint},
      {3171, "lo_tell64", {Integer}, Bigint},
      {3172, "lo_truncate64", {Integer, Bigint}, Integer},
      {3457, "lo_from_bytea", {Oid, Bytea}, Oid},
      {3458, "lo_get", {Oid}, Bytea},
      {3459, "lo_get", {Oid, Bigint, Integer}, Bytea},
      {3460, "lo_put", {Oid, Bigint, Bytea}, Void},
  };
  return functions;
}

}  // namespace gnomon::sql
