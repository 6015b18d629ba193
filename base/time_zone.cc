#include "base/time_zone.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

namespace gnomon {
namespace {

constexpr int64_t kSecondsPerDay = 86400;
constexpr int64_t kSecondsPerCycle = 146097 * kSecondsPerDay;  // 400 years
constexpr int kCycleYears = 400;

constexpr bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return lower;
}

/// Reads numbers off the front of a POSIX description of a zone.
class PosixText {
 public:
  explicit PosixText(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool isEmpty() const { return rest_.empty(); }
  bool skip(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool isNext(char c) const { return rest_.starts_with(c); }
  bool number(int64_t least, int64_t most, int64_t& value) {
    if (rest_.empty() || !isDigit(rest_.front())) return false;
    value = 0;
    while (!rest_.empty() && isDigit(rest_.front())) {
      value = value * 10 + (rest_.front() - '0');
      if (value > most) return false;
      rest_.remove_prefix(1);
    }
    return value >= least;
  }
  /// [+-]hh[:mm[:ss]] as seconds.
  bool offset(int64_t& seconds) {
    const bool is_negative = skip('-');
    if (!is_negative) skip('+');
    int64_t hours = 0, minutes = 0, rest = 0;
    if (!number(0, 167, hours)) return false;
    if (skip(':') && (!number(0, 59, minutes) || (skip(':') && !number(0, 60, rest)))) return false;
    seconds = hours * 3600 + minutes * 60 + rest;
    if (is_negative) seconds = -seconds;
    return true;
  }
  bool abbreviation(std::string& name) {
    const bool is_quoted = skip('<');
    const auto ends = [&](char c) { return is_quoted ? c == '>' : isDigit(c) || c == ',' || c == '-' || c == '+'; };
    const auto end = std::ranges::find_if(rest_, ends);
    name.assign(rest_.begin(), end);
    rest_.remove_prefix(static_cast<size_t>(end - rest_.begin()));
    return !is_quoted || skip('>');
  }

 private:
  std::string_view rest_;
};

/// When in a year a change happens, as POSIX says it: Mm.w.d/time, Jn/time or n/time.
struct YearlyChange {
  enum class Kind : uint8_t { Weekday, DayWithoutLeap, Day } kind = Kind::Day;
  int64_t month = 0, week = 0, day = 0;
  int64_t time = 7200;  ///< by the clock before the change

  bool read(PosixText& text) {
    bool is_read = false;
    if (text.skip('M')) {
      kind = Kind::Weekday;
      is_read = text.number(1, 12, month) && text.skip('.') && text.number(1, 5, week) && text.skip('.') &&
                text.number(0, 6, day);
    } else if (text.skip('J')) {
      kind = Kind::DayWithoutLeap;
      is_read = text.number(1, 365, day);
    } else {
      is_read = text.number(0, 365, day);
    }
    return is_read && (!text.skip('/') || text.offset(time));
  }
  /// Seconds by the clock before the change.
  [[nodiscard]] int64_t in(int year_number) const {
    using namespace std::chrono;
    const year of_year{year_number};
    sys_days date = sys_days(of_year / January / 1);
    if (kind == Kind::Weekday) {
      const auto in_month = of_year / std::chrono::month(static_cast<unsigned>(month));
      const weekday wanted(static_cast<unsigned>(this->day));
      date = week == 5 ? sys_days(in_month / wanted[last]) : sys_days(in_month / wanted[static_cast<unsigned>(week)]);
    } else {
      const bool is_behind_leap_day = kind == Kind::DayWithoutLeap && of_year.is_leap() && this->day >= 60;
      date += days(this->day - (kind == Kind::DayWithoutLeap && !is_behind_leap_day ? 1 : 0));
    }
    return int64_t{date.time_since_epoch().count()} * kSecondsPerDay + time;
  }
};

/// What a description says of a zone.
struct PosixRule {
  std::string standard, daylight;  ///< abbreviations; `daylight` empty: there is none
  int64_t west = 0, daylight_west = 0;
  YearlyChange begin, end;  ///< of daylight saving time

  /// False: it is none.
  bool read(std::string_view description) {
    PosixText text(description);
    if (!text.abbreviation(standard) || !text.offset(west)) return false;
    if (text.isEmpty()) return true;
    if (!text.abbreviation(daylight) || daylight.empty()) return false;
    daylight_west = west - 3600;
    const bool has_own_offset = !text.isEmpty() && !text.isNext(',') && !text.isNext(';');
    if (has_own_offset && !text.offset(daylight_west)) return false;
    // What PostgreSQL takes where nothing is said: the rule of the United States.
    if (text.isEmpty()) text = PosixText(",M3.2.0,M11.1.0");
    if (!text.skip(',') && !text.skip(';')) return false;
    return begin.read(text) && text.skip(',') && end.read(text) && text.isEmpty();
  }
};

int yearOf(int64_t seconds) {
  using namespace std::chrono;
  const sys_days date{days(seconds / kSecondsPerDay - (seconds % kSecondsPerDay < 0))};
  return int(year_month_day(date).year());
}

std::filesystem::path databaseFolder() {
  const char* const configured = std::getenv("TZDIR");
  return configured != nullptr ? configured : "/usr/share/zoneinfo";
}

/// The name's spelling in the database; empty: it is not there.
std::string spelledInDatabase(std::string_view name) {
  std::string spelled;
  std::filesystem::path folder = databaseFolder();
  while (true) {
    const size_t slash = name.find('/');
    const std::string part(name.substr(0, slash));
    if (part.empty() || part.front() == '.') return {};
    std::string found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      if (strcasecmp(entry.path().filename().c_str(), part.c_str()) == 0) found = entry.path().filename();
    if (error || found.empty()) return {};
    folder /= found;
    spelled += (spelled.empty() ? "" : "/") + found;
    if (slash == std::string_view::npos) return spelled;
    name.remove_prefix(slash + 1);
  }
}

thread_local const TimeZone* session_zone = nullptr;

}  // namespace

/// Makes a zone of a file or a description.
class TimeZone::Loader {
 public:
  static std::unique_ptr<TimeZone> fromFile(const std::string& spelled) {
    std::ifstream file(databaseFolder() / spelled, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    auto zone = std::unique_ptr<TimeZone>(new TimeZone(spelled));
    Loader loader(*zone, bytes);
    return loader.readFile() ? std::move(zone) : nullptr;
  }

  /// Null: it is none.
  static std::unique_ptr<TimeZone> fromPosix(std::string_view name) {
    std::string upper(name);
    for (char& c : upper)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
    PosixRule rule;
    if (!rule.read(upper)) return nullptr;
    auto zone = std::unique_ptr<TimeZone>(new TimeZone(std::move(upper)));
    if (rule.daylight.empty()) {
      zone->periods_.push_back({static_cast<int32_t>(-rule.west), false, rule.standard});
      return zone;
    }
    // As PostgreSQL: some centuries, and what is before and behind them is like them.
    constexpr int kFirstYear = 1970 - kCycleYears / 2;
    Loader(*zone, {}).addYears(rule, kFirstYear, INT64_MIN);
    zone->repeats_before_ = zone->repeats_;
    // It keeps daylight saving time all the year.
    if (zone->changes_.empty()) std::swap(zone->periods_.front(), zone->periods_.back());
    return zone;
  }

 private:
  /// Layout of a block, numbers big-endian: "TZif" version(1) unused(15) six counts(4 each), then times of the changes,
  /// their periods(1 each), periods (offset 4, is daylight 1, index of the abbreviation 1), abbreviations, leap
  /// seconds, and two flags for each period. A second block has times of 8 bytes; behind it stands "\nrule\n".
  struct Counts {
    uint32_t utc_flags, standard_flags, leaps, changes, periods, letters;
    [[nodiscard]] size_t bytes(size_t time_bytes) const {
      return changes * (time_bytes + 1) + periods * 6 + letters + leaps * (time_bytes + 4) + standard_flags + utc_flags;
    }
  };
  static constexpr size_t kHeaderBytes = 44;

  Loader(TimeZone& zone, std::string_view bytes) : zone_(zone), rest_(bytes) {}

  int64_t take(size_t size) {
    uint64_t number = static_cast<unsigned char>(rest_[0]) >= 128 ? UINT64_MAX : 0;
    for (size_t i = 0; i < size; ++i) number = (number << 8) | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(size);
    return static_cast<int64_t>(number);
  }
  bool takeHeader(Counts& counts) {
    if (rest_.size() < kHeaderBytes || !rest_.starts_with("TZif") || rest_[4] < '2') return false;
    rest_.remove_prefix(20);
    for (uint32_t* count :
         {&counts.utc_flags, &counts.standard_flags, &counts.leaps, &counts.changes, &counts.periods, &counts.letters})
      *count = static_cast<uint32_t>(take(4));
    return true;
  }

  bool readFile() {
    Counts counts{};
    if (!takeHeader(counts) || rest_.size() < counts.bytes(4)) return false;
    rest_.remove_prefix(counts.bytes(4));
    if (!takeHeader(counts) || rest_.size() < counts.bytes(8) || counts.leaps != 0 || counts.periods == 0) return false;
    const std::string_view rule = rest_.substr(counts.bytes(8));
    for (uint32_t i = 0; i < counts.changes; ++i) zone_.changes_.push_back({take(8), 0});
    for (Change& change : zone_.changes_) change.period = static_cast<uint8_t>(take(1));
    std::vector<uint8_t> names;
    for (uint32_t i = 0; i < counts.periods; ++i) {
      zone_.periods_.push_back({static_cast<int32_t>(take(4)), take(1) != 0, {}});
      names.push_back(static_cast<uint8_t>(take(1)));
    }
    for (uint32_t i = 0; i < counts.periods; ++i) {
      if (names[i] >= counts.letters) return false;
      const std::string_view letters = rest_.substr(names[i], counts.letters - names[i]);
      zone_.periods_[i].abbreviation = letters.substr(0, letters.find('\0'));
    }
    for (const Change& change : zone_.changes_)
      if (change.period >= counts.periods) return false;
    if (rule.size() > 2) extend(rule.substr(1, rule.size() - 2));
    return true;
  }

  /// Adds the changes that the rule makes behind those listed.
  void extend(std::string_view text) {
    PosixRule rule;
    if (!rule.read(text) || rule.daylight.empty()) return;
    const int64_t listed_until = zone_.changes_.empty() ? 0 : zone_.changes_.back().at;
    addYears(rule, yearOf(listed_until), listed_until);
  }

  /// For as many years as it takes until the calendar repeats. A change that is not in its year's turn is none.
  void addYears(const PosixRule& rule, int first_year, int64_t listed_until) {
    const auto first_period = static_cast<uint32_t>(zone_.periods_.size());
    zone_.periods_.push_back({static_cast<int32_t>(-rule.west), false, rule.standard});
    zone_.periods_.push_back({static_cast<int32_t>(-rule.daylight_west), true, rule.daylight});
    const size_t listed_count = zone_.changes_.size();
    for (int year = first_year; year <= first_year + kCycleYears; ++year) {
      Change pair[] = {{rule.begin.in(year) + rule.west, first_period + 1},
                       {rule.end.in(year) + rule.daylight_west, first_period}};
      const int64_t year_seconds = (std::chrono::year(year).is_leap() ? 366 : 365) * kSecondsPerDay;
      const bool is_reversed = pair[1].at < pair[0].at;
      const bool is_part =
          pair[0].at < pair[1].at && pair[1].at - pair[0].at < year_seconds + rule.west - rule.daylight_west;
      if (!is_reversed && !is_part) continue;
      std::ranges::sort(pair, {}, &Change::at);
      for (const Change& change : pair)
        if (change.at > listed_until) zone_.changes_.push_back(change);
    }
    zone_.repeats_ = zone_.changes_.size() > listed_count;
  }

  TimeZone& zone_;
  std::string_view rest_;
};

const TimeZone* TimeZone::find(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const TimeZone>> known;
  constexpr size_t kNameBytesMax = 255;
  if (name.empty() || name.size() > kNameBytesMax) return nullptr;
  const std::string key = lowerCase(name);
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second.get();
  // A colon says that it is a file's.
  const bool is_file = name.starts_with(':');
  const std::string spelled = spelledInDatabase(is_file ? name.substr(1) : name);
  std::unique_ptr<const TimeZone> zone = spelled.empty() ? nullptr : Loader::fromFile(spelled);
  if (!zone && !is_file) zone = Loader::fromPosix(name);
  if (!zone) return nullptr;
  return known.emplace(key, std::move(zone)).first->second.get();
}

const TimeZone& TimeZone::utc() {
  static const TimeZone* const zone = [] {
    const TimeZone* found = find("UTC");
    return found != nullptr ? found : find("UTC0");
  }();
  return *zone;
}

const TimeZone* TimeZone::ofOffset(int32_t offset) {
  const int32_t seconds = std::abs(offset);
  std::string text = fmt::format("{:02}", seconds / 3600);
  if (seconds % 3600 != 0) text += fmt::format(":{:02}", seconds / 60 % 60);
  if (seconds % 60 != 0) text += fmt::format(":{:02}", seconds % 60);
  return find(offset < 0 ? fmt::format("<-{}>+{}", text, text) : fmt::format("<+{}>-{}", text, text));
}

int64_t TimeZone::listed(int64_t utc) const {
  if (repeats_before_ && utc < changes_.front().at) {
    const int64_t cycles = (changes_.front().at - utc - 1) / kSecondsPerCycle + 1;
    return utc + cycles * kSecondsPerCycle;
  }
  if (!repeats_ || utc <= changes_.back().at) return utc;
  const int64_t cycles = (utc - changes_.back().at - 1) / kSecondsPerCycle + 1;
  return utc - cycles * kSecondsPerCycle;
}

const TimeZone::Period& TimeZone::periodBefore(size_t change) const {
  return change == 0 ? periods_[0] : periods_[changes_[change - 1].period];
}

const TimeZone::Period& TimeZone::periodAt(int64_t utc) const {
  const auto next = std::ranges::upper_bound(changes_, listed(utc), {}, &Change::at);
  return periodBefore(static_cast<size_t>(next - changes_.begin()));
}

int32_t TimeZone::offsetAt(int64_t utc) const {
  return isFixed() ? periods_[0].offset : periodAt(utc).offset;
}

int32_t TimeZone::offsetOfLocal(int64_t local) const {
  if (isFixed()) return periods_[0].offset;
  // PostgreSQL's DetermineTimeZoneOffset: the first change after a day earlier decides.
  const int64_t earlier = listed(local - kSecondsPerDay);
  const int64_t time = earlier + kSecondsPerDay;
  const auto next = std::ranges::upper_bound(changes_, earlier, {}, &Change::at);
  const int32_t before = periodBefore(static_cast<size_t>(next - changes_.begin())).offset;
  if (next == changes_.end()) return before;
  const int32_t after = periods_[next->period].offset;
  if (time - before < next->at && time - after < next->at) return before;
  if (time - before > next->at && time - after >= next->at) return after;
  return time - before > time - after ? before : after;
}

const TimeZone::Period* TimeZone::periodOfAbbreviation(std::string_view lower, int64_t utc) const {
  const int64_t time = listed(utc);
  const auto isIt = [&](const Period& period) { return lowerCase(period.abbreviation) == lower; };
  const auto next = static_cast<size_t>(std::ranges::upper_bound(changes_, time, {}, &Change::at) - changes_.begin());
  for (size_t i = next + 1; i-- > 0;)
    if (isIt(periodBefore(i))) return &periodBefore(i);
  for (size_t i = next; i < changes_.size(); ++i)
    if (isIt(periods_[changes_[i].period])) return &periods_[changes_[i].period];
  return nullptr;
}

std::optional<int32_t> TimeZone::offsetOfAbbreviation(std::string_view lower, int64_t utc) const {
  const Period* const period = periodOfAbbreviation(lower, utc);
  return period == nullptr ? std::nullopt : std::optional(period->offset);
}

bool TimeZone::isDaylightAbbreviation(std::string_view lower, int64_t utc) const {
  const Period* const period = periodOfAbbreviation(lower, utc);
  return (period != nullptr ? *period : periodAt(utc)).is_daylight;
}

/// Files that are no zones, or count leap seconds, are passed over.
std::vector<TimeZone::Listed> TimeZone::listAt(int64_t utc) {
  std::vector<Listed> zones;
  const std::filesystem::path folder = databaseFolder();
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    std::error_code unreadable;
    if (!file->is_regular_file(unreadable)) continue;
    const std::string name = file->path().lexically_relative(folder);
    if (name.starts_with('.') || name.contains("/.")) continue;
    const std::unique_ptr<TimeZone> zone = Loader::fromFile(name);
    if (!zone) continue;
    const Period& period = zone->periodAt(utc);
    zones.push_back({name, period.abbreviation, period.offset, period.is_daylight});
  }
  std::ranges::sort(zones, {}, &Listed::name);
  return zones;
}

const TimeZone& sessionTimeZone() {
  return session_zone != nullptr ? *session_zone : TimeZone::utc();
}

SessionTimeZone::SessionTimeZone(const TimeZone& zone) : before_(session_zone) {
  session_zone = &zone;
}

SessionTimeZone::~SessionTimeZone() {
  session_zone = before_;
}

void SessionTimeZone::change(const TimeZone& zone) {
  session_zone = &zone;
}

}  // namespace gnomon
