#include "sql/catalog/stored_acl.h"

#include <gtest/gtest.h>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

TEST(StoredAcl, IsReadBackAsItWas) {
  const Acl acl{{.grantee = 10, .grantor = 10, .rights = Privilege::Select | Privilege::Update},
                {.grantee = kPublicGrantee, .grantor = 4294967295, .rights = Privilege::Select},
                {.grantee = 16384, .grantor = 10, .rights = Privilege::Update, .grantable = Privilege::Update}};
  EXPECT_EQ(storedAcl(acl), "10,10,6,0;0,4294967295,2,0;16384,10,4,4;");
  EXPECT_EQ(readStoredAcl(storedAcl(acl)), acl);
  EXPECT_EQ(readStoredAcl(""), Acl());
}

TEST(StoredAcl, RefusesWhatItDidNotWrite) {
  for (const char* text : {"10", "10,10,6", "10,10,6,0", "x,1,2,3;", "10,10,6,0;1"})
    EXPECT_THROW(readStoredAcl(text), SqlError) << text;
}

}  // namespace
}  // namespace gnomon::sql
