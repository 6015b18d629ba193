#include "sql/functions/hosted_functions.h"

#include <gtest/gtest.h>

#include "sql/catalog/schema_entry.h"
#include "sql/functions/extension_functions.h"
#include "sql/pg_catalog/facts.h"

namespace gnomon::sql {
namespace {

TEST(HostedFunctions, AreWhatTheCatalogSays) {
  for (const HostedFunction& function : hostedFunctions()) {
    EXPECT_LT(function.oid, kFirstUserOid);
    EXPECT_TRUE(function.oid < kFirstExtensionFunction || function.oid > kLastExtensionFunction) << function.name;
    if (function.name.starts_with('$')) continue;
    const pg_catalog::ProcedureFacts* const facts = pg_catalog::findProcedureFacts(function.oid);
    ASSERT_NE(facts, nullptr) << function.name;
    EXPECT_EQ(facts->name, function.name);
    EXPECT_EQ(facts->volatility, 'v');
    EXPECT_TRUE(facts->is_strict);
    EXPECT_EQ(facts->result, Type::of(function.result).oid());
    std::vector<uint32_t> arguments;
    for (const TypeKind kind : function.arguments) arguments.push_back(Type::of(kind).oid());
    EXPECT_EQ(facts->arguments, arguments) << function.name;
  }
}

}  // namespace
}  // namespace gnomon::sql
