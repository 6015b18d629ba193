#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon {

/// A time zone of the system's database, or one described in POSIX's way ("<+05>-05", "EST5",
/// "CST7CDT,M4.1.0,M10.5.0").
///
/// Source: RFC 8536 for the files; PostgreSQL's localtime.c and pgtz.c for which names are understood. The files are
/// read here and not by a library, because those at hand leave out the rule for the years after the last change listed.
/// Seconds count from 1970-01-01, of UTC or of the zone's own clock; offsets are seconds east of UTC.
/// Threads: any; immutable. Lifetime: the process's, once a zone was found.
class TimeZone {
 public:
  /// By its name, in any case. Null: there is none.
  static const TimeZone* find(std::string_view name);
  static const TimeZone& utc();
  /// "<+05>-05" and so on, as PostgreSQL calls what is set by an offset. Null: more than 167 hours.
  static const TimeZone* ofOffset(int32_t offset);

  /// What the zones of the system's database keep at a time, in the order of their names.
  struct Listed {
    std::string name;
    std::string abbreviation;
    int32_t offset;
    bool is_daylight;
  };
  static std::vector<Listed> listAt(int64_t utc);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool isFixed() const { return changes_.empty(); }
  [[nodiscard]] int32_t offsetAt(int64_t utc) const;
  /// The offset of what the zone's clock shows. What it skips counts as before the change, what it shows twice as
  /// after.
  [[nodiscard]] int32_t offsetOfLocal(int64_t local) const;
  /// The offset that the abbreviation (in lower case) had last at that time, or has first after it; nothing where the
  /// zone has never used it.
  [[nodiscard]] std::optional<int32_t> offsetOfAbbreviation(std::string_view lower, int64_t utc) const;
  /// Whether that is daylight saving time; where it has never been used, whether the zone keeps that then.
  [[nodiscard]] bool isDaylightAbbreviation(std::string_view lower, int64_t utc) const;
  /// What the zone calls its time then: "CET", "+05".
  [[nodiscard]] const std::string& abbreviationAt(int64_t utc) const { return periodAt(utc).abbreviation; }

 private:
  struct Period {
    int32_t offset = 0;
    bool is_daylight = false;
    std::string abbreviation;
  };
  /// From `at` on the zone keeps periods_[period].
  struct Change {
    int64_t at;
    uint32_t period;
  };
  class Loader;

  explicit TimeZone(std::string name) : name_(std::move(name)) {}
  /// The same moment in the listed years, if the zone's rule repeats every 400 years behind them, or also before.
  [[nodiscard]] int64_t listed(int64_t utc) const;
  [[nodiscard]] const Period& periodAt(int64_t utc) const;
  [[nodiscard]] const Period& periodBefore(size_t change) const;
  /// Null: the zone has never used the abbreviation.
  [[nodiscard]] const Period* periodOfAbbreviation(std::string_view lower, int64_t utc) const;

  std::string name_;
  std::vector<Period> periods_;
  std::vector<Change> changes_;
  bool repeats_ = false, repeats_before_ = false;
};

/// An abbreviation of a zone as input takes it: an offset, or what a zone meant by it at the time.
struct ZoneAbbreviation {
  int32_t offset;
  const TimeZone* zone;  ///< null: the offset
};
std::optional<ZoneAbbreviation> findZoneAbbreviation(std::string_view lower);
/// All of them as they are meant at a time, in the order of their names, which are in upper case.
std::vector<TimeZone::Listed> listZoneAbbreviations(int64_t utc);

/// The setting TimeZone of the session that this thread works for; UTC where there is none.
const TimeZone& sessionTimeZone();

/// For as long as it lives, this thread works for a session with that zone.
class SessionTimeZone {
 public:
  explicit SessionTimeZone(const TimeZone& zone);
  ~SessionTimeZone();
  SessionTimeZone(const SessionTimeZone&) = delete;
  SessionTimeZone& operator=(const SessionTimeZone&) = delete;
  /// The session has changed its setting.
  static void change(const TimeZone& zone);

 private:
  const TimeZone* before_;
};

}  // namespace gnomon
