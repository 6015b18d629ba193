#include "server/portals.h"

#include <gtest/gtest.h>

#include "base/sql_error.h"

namespace gnomon::server {
namespace {

void bindAs(Portals& portals, std::string_view name, uint64_t number) {
  BoundPortal& place = portals.make(name);
  EXPECT_EQ(place.number, 0U);
  EXPECT_TRUE(place.source.parameters.empty());
  place.number = number;
  place.source.parameters.push_back(sql::Value::fromInt(sql::Type::of(sql::TypeKind::Integer), 7));
}

uint64_t numberOf(Portals& portals, std::string_view name) {
  const BoundPortal* const found = portals.find(name);
  return found ? found->number : 0;
}

TEST(Portals, TheUnnamedOneIsReplacedAndOthersAreNot) {
  Portals portals;
  EXPECT_EQ(portals.find(""), nullptr);
  EXPECT_EQ(portals.find("p"), nullptr);
  bindAs(portals, "", 1);
  bindAs(portals, "p", 2);
  bindAs(portals, "", 3);
  try {
    portals.make("p");
    FAIL();
  } catch (const SqlError& error) {
    EXPECT_STREQ(error.state().text(), "42P03");
  }
  EXPECT_EQ(numberOf(portals, ""), 3U);
  EXPECT_EQ(numberOf(portals, "p"), 2U);
  EXPECT_EQ(portals.find("p")->source.parameters.size(), 1U);
}

TEST(Portals, AnUnnamedOneThatWasNotBoundIsNotThere) {
  Portals portals;
  bindAs(portals, "", 1);
  portals.make("");
  EXPECT_EQ(portals.find(""), nullptr);
}

TEST(Portals, ThoseThatAreErasedKeepNothing) {
  Portals portals;
  bindAs(portals, "", 1);
  bindAs(portals, "p", 2);
  portals.find("")->source.parameters.resize(65535);
  const BoundPortal& unnamed = *portals.find("");
  portals.erase("");
  EXPECT_EQ(portals.find(""), nullptr);
  EXPECT_EQ(unnamed.source.statement, nullptr);
  EXPECT_LT(unnamed.source.parameters.capacity(), 65535U);
  portals.erase("unknown");
  EXPECT_EQ(numberOf(portals, "p"), 2U);
  portals.erase("p");
  EXPECT_EQ(portals.find("p"), nullptr);
  bindAs(portals, "p", 3);
  bindAs(portals, "", 4);
  portals.endTransaction();
  EXPECT_EQ(portals.find(""), nullptr);
  EXPECT_EQ(portals.find("p"), nullptr);
}

TEST(Portals, ThoseAfterANumberGo) {
  Portals portals;
  bindAs(portals, "old", 1);
  bindAs(portals, "", 2);
  bindAs(portals, "young", 3);
  portals.eraseAfter(2);
  EXPECT_EQ(numberOf(portals, "old"), 1U);
  EXPECT_EQ(numberOf(portals, ""), 2U);
  EXPECT_EQ(portals.find("young"), nullptr);
  portals.eraseAfter(1);
  EXPECT_EQ(portals.find(""), nullptr);
  EXPECT_EQ(numberOf(portals, "old"), 1U);
}

}  // namespace
}  // namespace gnomon::server
