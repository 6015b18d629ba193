#include "base/settings.h"

#include <gtest/gtest.h>

#include "base/sql_error.h"

namespace gnomon {
namespace {

std::string stateOf(auto&& action) {
  try {
    action();
  } catch (const SqlError& error) {
    return error.state().text();
  }
  return "none";
}

std::string stateOfSet(Settings& settings, std::string_view name, std::string_view value) {
  return stateOf([&] { settings.set(name, value, SettingSource::Session); });
}

TEST(Settings, StandInAlphabeticalOrderWithUniqueNames) {
  std::string previous;
  for (const SettingDescription& setting : settingDescriptions()) {
    std::string name(setting.name);
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    EXPECT_LT(previous, name);
    EXPECT_FALSE(setting.description.empty());
    previous = name;
  }
}

TEST(Settings, AreFoundWithoutRegardToCase) {
  Settings settings;
  settings.set("EXECUTION_MODE", "VM", SettingSource::Session);
  EXPECT_EQ(settings.text(SettingId::ExecutionMode), "vm");
  EXPECT_EQ(findSetting("datestyle").name, "DateStyle");
  EXPECT_EQ(stateOfSet(settings, "no_such_thing", "1"), "42704");
}

TEST(Settings, PrintNumbersWithTheLargestUnitThatDividesThem) {
  Settings settings;
  settings.set("query_memory", "1GB", SettingSource::Session);
  EXPECT_EQ(settings.integer(SettingId::QueryMemory), int64_t{1} << 30);
  EXPECT_EQ(settings.show(SettingId::QueryMemory), "1GB");
  settings.set("query_memory", "1048577", SettingSource::Session);
  EXPECT_EQ(settings.show(SettingId::QueryMemory), "1048577B");
  settings.set("statement_timeout", "1.5s", SettingSource::Session);
  EXPECT_EQ(settings.show(SettingId::StatementTimeout), "1500ms");
  settings.set("statement_timeout", "2 min", SettingSource::Session);
  EXPECT_EQ(settings.show(SettingId::StatementTimeout), "2min");
  settings.set("statement_timeout", "0", SettingSource::Session);
  EXPECT_EQ(settings.show(SettingId::StatementTimeout), "0");
}

TEST(Settings, RefuseBadValuesAndKeepTheOldOne) {
  Settings settings;
  EXPECT_EQ(stateOfSet(settings, "statement_timeout", "-1"), "22023");
  EXPECT_EQ(stateOfSet(settings, "statement_timeout", "1 parsec"), "22023");
  EXPECT_EQ(stateOfSet(settings, "statement_timeout", ""), "22023");
  EXPECT_EQ(stateOfSet(settings, "statement_timeout", "99999999999999999999"), "22023");
  EXPECT_EQ(stateOfSet(settings, "execution_mode", "quick"), "22023");
  EXPECT_EQ(stateOfSet(settings, "standard_conforming_strings", "maybe"), "22023");
  EXPECT_EQ(stateOfSet(settings, "client_encoding", "klingon"), "22023");
  EXPECT_EQ(stateOfSet(settings, "DateStyle", "stardate"), "22023");
  EXPECT_EQ(settings.show(SettingId::StatementTimeout), "0");
  EXPECT_EQ(settings.text(SettingId::ExecutionMode), "auto");
}

TEST(Settings, RefuseWhatPostgresHasAndGnomonLacks) {
  Settings settings;
  EXPECT_EQ(stateOfSet(settings, "standard_conforming_strings", "off"), "0A000");
  EXPECT_EQ(stateOfSet(settings, "standard_conforming_strings", "false"), "0A000");
  EXPECT_EQ(stateOfSet(settings, "standard_conforming_strings", "yes"), "none");
  EXPECT_EQ(stateOfSet(settings, "IntervalStyle", "iso_8601"), "none");
  EXPECT_EQ(stateOfSet(settings, "DateStyle", "iso, mdy, dmy"), "22023");
  EXPECT_EQ(stateOfSet(settings, "DateStyle", "German"), "none");
  EXPECT_EQ(settings.text(SettingId::DateStyle), "German, DMY");
  EXPECT_EQ(stateOfSet(settings, "DateStyle", "iso, mdy"), "none");
  EXPECT_EQ(stateOfSet(settings, "DateStyle", "ymd"), "none");
  EXPECT_EQ(settings.text(SettingId::DateStyle), "ISO, YMD");
  EXPECT_EQ(stateOfSet(settings, "client_encoding", "LATIN1"), "0A000");
  EXPECT_EQ(stateOfSet(settings, "client_encoding", "utf-8"), "none");
  EXPECT_EQ(stateOfSet(settings, "extra_float_digits", "0"), "none");
  EXPECT_EQ(stateOfSet(settings, "extra_float_digits", "-16"), "22023");
  EXPECT_EQ(stateOfSet(settings, "extra_float_digits", "3"), "none");
  EXPECT_EQ(stateOfSet(settings, "search_path", "elsewhere,,"), "22023");
  EXPECT_EQ(stateOfSet(settings, "search_path", "public, \"$user\""), "none");
  EXPECT_EQ(stateOfSet(settings, "transaction_isolation", "serializable"), "0A000");
}

TEST(Settings, KeepWhatOnlyTheServerSets) {
  Settings settings;
  EXPECT_EQ(stateOfSet(settings, "server_version", "16"), "55P02");
  EXPECT_EQ(stateOfSet(settings, "max_connections", "5"), "55P02");
  settings.set("max_connections", "5", SettingSource::CommandLine);
  EXPECT_EQ(settings.integer(SettingId::MaxConnections), 5);
}

TEST(Settings, ResetReturnsToWhatTheSessionBeganWith) {
  Settings server;
  server.setInternal(SettingId::QueryMemory, "8388608");
  Settings session = server.forSession();
  session.set("application_name", "first", SettingSource::StartupPacket);
  session.set("application_name", "second", SettingSource::Session);
  session.set("query_memory", "1GB", SettingSource::Session);
  session.resetAll();
  EXPECT_EQ(session.text(SettingId::ApplicationName), "first");
  EXPECT_EQ(session.show(SettingId::QueryMemory), "8MB");
}

TEST(Settings, ReplaceWhatIsNotPrintableInTheApplicationName) {
  Settings settings;
  settings.set("application_name", "caf\xc3\xa9\n", SettingSource::Session);
  EXPECT_EQ(settings.text(SettingId::ApplicationName), "caf???");
}

TEST(Settings, AVersionStandsForTheValues) {
  Settings settings;
  const Settings before = settings;
  EXPECT_EQ(settings.version(), before.version());
  settings.set("bytea_output", "escape", SettingSource::Session);
  EXPECT_NE(settings.version(), before.version());
  const Settings escaped = settings;
  settings = before;
  EXPECT_EQ(settings.version(), before.version()) << "the values are those of then";
  settings.set("bytea_output", "escape", SettingSource::Session);
  EXPECT_NE(settings.version(), before.version());
  EXPECT_NE(settings.version(), escaped.version()) << "no number is given twice";
  for (const auto& change : std::initializer_list<void (*)(Settings&)>{
           [](Settings& changed) { changed.reset("bytea_output"); }, [](Settings& changed) { changed.resetAll(); },
           [](Settings& changed) { changed.setInternal(SettingId::QueryMemory, "8388608"); }}) {
    const uint64_t version = settings.version();
    change(settings);
    EXPECT_NE(settings.version(), version);
  }
}

TEST(Settings, AMeasuredNumberIsShownAndIsNoChange) {
  Settings settings;
  const uint64_t version = settings.version();
  settings.setMeasured(SettingId::LastStatementCompileUs, 1234);
  EXPECT_EQ(settings.show(SettingId::LastStatementCompileUs), "1234");
  EXPECT_EQ(settings.version(), version);
  settings.resetAll();
  EXPECT_EQ(settings.integer(SettingId::LastStatementCompileUs), 1234);
}

TEST(Settings, OfUsersAreMadeBySettingThem) {
  Settings settings;
  EXPECT_EQ(stateOf([&] { (void)settings.show("app.user"); }), "42704");
  settings.set("App.User", "Anna", SettingSource::Session);
  EXPECT_EQ(settings.show("app.USER"), "Anna");
  EXPECT_EQ(settings.shownName("app.user"), "App.User");
  settings.reset("app.user");
  EXPECT_EQ(settings.show("app.user"), "");
  settings.set("app.kept", "1", SettingSource::StartupPacket);
  settings.set("app.kept", "2", SettingSource::Session);
  settings.resetAll();
  EXPECT_EQ(settings.show("app.kept"), "1");
  for (const char* name : {".a", "a.", "a..b", "1a.b", "a.1b", "a b.c", "$a.b"})
    EXPECT_EQ(stateOfSet(settings, name, "1"), "42602") << name;
  for (const char* name : {"a.b", "a.b.c", "_a.b$1", "\xc3\xa9.b"})
    EXPECT_EQ(stateOfSet(settings, name, "1"), "none") << name;
}

TEST(Settings, OfUsersStayWithoutTheirValuesWhenTheirMakingIsUndone) {
  Settings settings;
  settings.set("app.user", "before", SettingSource::Session);
  const Settings former = settings;
  settings.set("app.user", "after", SettingSource::Session);
  settings.set("app.made", "since", SettingSource::Session);
  settings.restore(former);
  EXPECT_EQ(settings.show("app.user"), "before");
  EXPECT_EQ(settings.show("app.made"), "");
  EXPECT_EQ(settings.version(), former.version());
}

TEST(Settings, ArePutBackOneByOneAsTheyWere) {
  Settings settings;
  settings.set("work_mem", "8MB", SettingSource::Session);
  const uint64_t version = settings.version();
  const Settings::Kept memory = settings.keep("WORK_MEM"), user = settings.keep("app.user");
  settings.set("work_mem", "16MB", SettingSource::Session);
  settings.set("app.user", "inside", SettingSource::Session);
  settings.putBack(memory);
  settings.putBack(user);
  EXPECT_EQ(settings.show("work_mem"), "8MB");
  EXPECT_EQ(settings.show("app.user"), "");
  EXPECT_NE(settings.version(), version);
  settings.returnTo(version);
  EXPECT_EQ(settings.version(), version);
  settings.reset("work_mem");
  EXPECT_EQ(settings.show("work_mem"), "256MB");
  EXPECT_EQ(stateOf([&] { (void)settings.keep("nosuch"); }), "42704");
}

TEST(Settings, TellWhichChangeWasTheLastOfEach) {
  Settings settings;
  settings.set("work_mem", "8MB", SettingSource::Session);
  const uint64_t change = settings.changeOf("work_mem");
  settings.set("app.user", "anna", SettingSource::Session);
  EXPECT_EQ(settings.changeOf("work_mem"), change);
  EXPECT_NE(settings.changeOf("app.user"), change);
  settings.set("work_mem", "8MB", SettingSource::Session);
  EXPECT_NE(settings.changeOf("work_mem"), change);
}

TEST(Settings, OfLanguagesMayBeWhatTheLanguageSays) {
  Settings settings;
  EXPECT_EQ(settings.show("plpgsql.variable_conflict"), "error");
  settings.set("plpgsql.check_asserts", "0", SettingSource::Session);
  EXPECT_EQ(settings.show("plpgsql.check_asserts"), "off");
  settings.set("plpgsql.extra_errors", "too_many_rows, shadowed_variables", SettingSource::Session);
  EXPECT_EQ(stateOfSet(settings, "plpgsql.variable_conflict", "nosuch"), "22023");
  EXPECT_EQ(stateOfSet(settings, "plpgsql.extra_errors", "all, too_many_rows"), "22023");
  EXPECT_EQ(stateOfSet(settings, "plpgsql.nosuch", "1"), "42602");
}

}  // namespace
}  // namespace gnomon
