#include "sql/catalog/grant.h"

#include <gtest/gtest.h>

#include "base/sql_error.h"
#include "sql/catalog/acl_text.h"
#include "sql/catalog/catalog.h"

namespace gnomon::sql {
namespace {

using enum Privilege;

constexpr uint32_t kOwner = 100, kOne = 101, kTwo = 102;

Acl change(Acl acl, uint32_t grantor, const GrantChange& change) {
  static const Catalog catalog;
  return changedAcl(catalog, std::move(acl), kOwner, grantor, change);
}

Acl give(Acl acl, uint32_t grantor, uint32_t grantee, Privilege rights, bool is_option) {
  return change(std::move(acl), grantor,
                {.is_grant = true, .is_option = is_option, .rights = rights, .grantees = {grantee}});
}

Acl take(Acl acl, uint32_t grantor, uint32_t grantee, Privilege rights, bool is_cascade, bool is_option = false) {
  return change(
      std::move(acl), grantor,
      {.is_grant = false, .is_option = is_option, .is_cascade = is_cascade, .rights = rights, .grantees = {grantee}});
}

std::string stateOf(auto&& act) {
  try {
    act();
  } catch (const SqlError& error) {
    return error.state().text();
  }
  return "";
}

TEST(Grant, RightsOfOnePairOfRolesAreOneItem) {
  Acl acl = give({}, kOwner, kOne, Select, false);
  acl = give(std::move(acl), kOwner, kOne, Update, true);
  EXPECT_EQ(acl, (Acl{{kOne, kOwner, Select | Update, Update}}));
}

TEST(Grant, NothingThatIsGivenLeavesNoItem) {
  EXPECT_EQ(give({}, kOwner, kOne, None, false), Acl());
}

TEST(Grant, WhatWasGivenOnGoesOnlyByCascade) {
  const Acl acl = give(give({}, kOwner, kOne, Select, true), kOne, kTwo, Select, false);
  EXPECT_EQ(stateOf([&] { take(acl, kOwner, kOne, Select, false); }), "2BP01");
  EXPECT_EQ(take(acl, kOwner, kOne, Select, true), Acl());
  EXPECT_EQ(take(acl, kOwner, kOne, Select, true, true), (Acl{{kOne, kOwner, Select, None}}));
}

TEST(Grant, OptionsDoNotComeBackToWhoGaveThem) {
  const Acl acl = give(give({}, kOwner, kOne, Select, true), kOne, kTwo, Select, true);
  EXPECT_EQ(stateOf([&] { give(acl, kTwo, kOne, Select, true); }), "0LP01");
  EXPECT_EQ(stateOf([&] { give(acl, kTwo, kOne, Select, false); }), "");
  EXPECT_EQ(stateOf([&] { give(acl, kOwner, kPublicGrantee, Select, true); }), "0LP01");
}

TEST(Grant, ANewOwnerGetsWhatTheOldOneHadAndGave) {
  const Acl acl{{kOwner, kOwner, Select | Update, None}, {kOne, kOwner, Select, Select}, {kOne, kOne, Update, None}};
  EXPECT_EQ(reownedAcl(acl, kOwner, kOne), (Acl{{kOne, kOne, Select | Update, Select}}));
}

TEST(AclText, IsReadBack) {
  const Catalog catalog;
  const AclItem item{kRoleOid, 12345, Insert | Select | Connect, Select};
  EXPECT_EQ(aclItemText(catalog, item), "postgres=ar*c/12345");
  EXPECT_EQ(parseAclItem(catalog, "postgres=ar*c/12345"), item);
  EXPECT_EQ(parseAclItem(catalog, " \"postgres\" =/postgres "), (AclItem{kRoleOid, kRoleOid, None, None}));
  EXPECT_EQ(stateOf([&] { parseAclItem(catalog, "postgres=q/postgres"); }), "22P02");
  EXPECT_EQ(stateOf([&] { parseAclItem(catalog, "nobody=r/postgres"); }), "42704");
}

}  // namespace
}  // namespace gnomon::sql
