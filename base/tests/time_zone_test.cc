#include "base/time_zone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace gnomon {
namespace {

/// Seconds since 1970 of noon UTC, 2050-07-01 and 2450-07-01: behind every change that a file lists.
constexpr int64_t kSummer = 2540376000;
constexpr int64_t kSummerAfterACycle = kSummer + int64_t{146097} * 86400;

TEST(TimeZone, IsFoundInAnyCaseAndKeepsTheDatabasesSpelling) {
  const TimeZone* zone = TimeZone::find("america/new_york");
  ASSERT_NE(zone, nullptr);
  EXPECT_EQ(zone->name(), "America/New_York");
  EXPECT_EQ(TimeZone::find("AMERICA/NEW_YORK")->name(), "America/New_York");
  EXPECT_EQ(TimeZone::find("Nowhere/City"), nullptr);
  EXPECT_EQ(TimeZone::find("../zoneinfo/UTC"), nullptr);
  EXPECT_EQ(TimeZone::find("tzdata.zi"), nullptr);
}

TEST(TimeZone, FollowsItsRuleBehindTheLastChangeListed) {
  const TimeZone& zone = *TimeZone::find("America/New_York");
  EXPECT_EQ(zone.offsetAt(kSummer), -4 * 3600);
  EXPECT_EQ(zone.offsetAt(kSummer + 180 * 86400), -5 * 3600);
  EXPECT_EQ(zone.offsetAt(kSummerAfterACycle), -4 * 3600);
  EXPECT_EQ(zone.abbreviationAt(kSummerAfterACycle), "EDT");
}

// 2020-03-08 in New York: 01:59:59 EST | 03:00:00 EDT. 2020-11-01: 01:59:59 EDT | 01:00:00 EST.
TEST(TimeZone, SkippedTimesCountAsBeforeTheChangeAndRepeatedOnesAsAfter) {
  const TimeZone& zone = *TimeZone::find("America/New_York");
  constexpr int64_t kSkipped = 1583634600;   // 2020-03-08 02:30
  constexpr int64_t kRepeated = 1604194200;  // 2020-11-01 01:30
  EXPECT_EQ(zone.offsetOfLocal(kSkipped), -5 * 3600);
  EXPECT_EQ(zone.offsetOfLocal(kSkipped - 3600), -5 * 3600);
  EXPECT_EQ(zone.offsetOfLocal(kSkipped + 3600), -4 * 3600);
  EXPECT_EQ(zone.offsetOfLocal(kRepeated), -5 * 3600);
  EXPECT_EQ(zone.offsetOfLocal(kRepeated - 3600), -4 * 3600);
}

TEST(TimeZone, OfAnOffsetIsCalledAsInPostgres) {
  EXPECT_EQ(TimeZone::ofOffset(5 * 3600 + 1800)->name(), "<+05:30>-05:30");
  EXPECT_EQ(TimeZone::ofOffset(-7 * 3600)->name(), "<-07>+07");
  EXPECT_EQ(TimeZone::ofOffset(-7 * 3600)->offsetAt(0), -7 * 3600);
  EXPECT_EQ(TimeZone::find("foo+3")->name(), "FOO+3");
  EXPECT_EQ(TimeZone::find("foo3bar,M1"), nullptr);
}

TEST(TimeZone, RulesOfADaylightSavingTimeAreThoseOfItsNameOrOfTheUnitedStates) {
  const auto own = TimeZone::find("CST6CDT,M4.1.0,M10.5.0");
  EXPECT_EQ(own->offsetAt(1711936800), -6 * 3600);  // 2024-04-01: before the first Sunday
  EXPECT_EQ(own->offsetAt(1712534400), -5 * 3600);  // 2024-04-08
  EXPECT_EQ(own->offsetAt(1704067200), -6 * 3600);  // 2024-01-01
  const auto united_states = TimeZone::find("foo3bar");
  EXPECT_EQ(united_states->offsetAt(1704067200), -3 * 3600);
  EXPECT_EQ(united_states->offsetAt(1719792000), -2 * 3600);  // 2024-07-01
}

TEST(TimeZone, AbbreviationsMeanWhatTheirZoneMeantAtTheTime) {
  const auto moscow = findZoneAbbreviation("msk");
  ASSERT_TRUE(moscow && moscow->zone);
  EXPECT_EQ(moscow->zone->offsetOfAbbreviation("msk", 1325419200), 4 * 3600);  // 2012
  EXPECT_EQ(moscow->zone->offsetOfAbbreviation("msk", 1577880000), 3 * 3600);  // 2020
  EXPECT_EQ(findZoneAbbreviation("pst")->offset, -8 * 3600);
  EXPECT_FALSE(findZoneAbbreviation("nope"));
}

TEST(TimeZone, TheDatabaseIsListedInOrderWithWhatItsZonesKeepThen) {
  const std::vector<TimeZone::Listed> zones = TimeZone::listAt(kSummer);
  EXPECT_TRUE(std::ranges::is_sorted(zones, {}, &TimeZone::Listed::name));
  const auto found = std::ranges::find(zones, "America/New_York", &TimeZone::Listed::name);
  ASSERT_NE(found, zones.end());
  EXPECT_EQ(found->abbreviation, "EDT");
  EXPECT_EQ(found->offset, -4 * 3600);
  EXPECT_TRUE(found->is_daylight);
  EXPECT_EQ(std::ranges::count(zones, "tzdata.zi", &TimeZone::Listed::name), 0);
}

TEST(TimeZone, AbbreviationsAreListedInUpperCaseWithWhatTheyMeanThen) {
  const std::vector<TimeZone::Listed> abbreviations = listZoneAbbreviations(1577880000);  // 2020
  const auto offsetOf = [&](std::string_view name) {
    const auto found = std::ranges::find(abbreviations, name, &TimeZone::Listed::name);
    return found == abbreviations.end() ? std::pair(-1, false) : std::pair(found->offset, found->is_daylight);
  };
  EXPECT_EQ(offsetOf("PDT"), std::pair(-7 * 3600, true));
  EXPECT_EQ(offsetOf("PST"), std::pair(-8 * 3600, false));
  EXPECT_EQ(offsetOf("MSK"), std::pair(3 * 3600, false));
}

TEST(TimeZone, OfTheThreadIsTheSessionsWhileItLives) {
  EXPECT_EQ(sessionTimeZone().name(), "UTC");
  {
    const SessionTimeZone scope(*TimeZone::find("Asia/Tokyo"));
    EXPECT_EQ(sessionTimeZone().name(), "Asia/Tokyo");
  }
  EXPECT_EQ(sessionTimeZone().name(), "UTC");
}

}  // namespace
}  // namespace gnomon
