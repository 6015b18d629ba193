#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace gnomon {

/// What a thread waits for, as pg_stat_activity shows it; names are PostgreSQL's where it has the same.
enum class WaitEvent : uint8_t {
  None,
  ClientRead,
  ClientWrite,
  LockRelation,
  LockTransaction,  ///< the end of one, whose change of a row stands in the way
  LockAdvisory,
  WalSync,
  DataFileRead,
  CheckpointerMain,
  GarbageCollectorMain,
  PageProviderMain,
  WalWriterMain,
  CompilerMain,
  Sleep,
  Count
};

struct WaitEventName {
  std::string_view type, event;
};
/// Empty for None.
[[nodiscard]] WaitEventName nameOf(WaitEvent event);

/// Where one thread says what it waits for; others read it.
using WaitSlot = std::atomic<WaitEvent>;

/// What the calling thread waits for is said in `slot` from now on; null: nowhere, as at its begin.
void setWaitSlot(WaitSlot* slot);

/// Says that the thread waits, as long as it lives. Costs two stores, where nobody has set a slot a look at it.
class WaitScope {
 public:
  explicit WaitScope(WaitEvent event);
  ~WaitScope();
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

 private:
  WaitSlot* const slot_;
  const WaitEvent before_;
};

/// What the system calls the calling thread, cut off behind 15 bytes.
void nameThread(std::string_view name);

/// A thread of the server's own, as long as this object lives in it. Threads: its own; list() any.
class BackgroundThread {
 public:
  /// `name`: a literal, as pg_stat_activity's backend_type has it.
  explicit BackgroundThread(std::string_view name);
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  struct Info {
    std::string_view name;
    int64_t begun_unix_us;  ///< microseconds since 1970
    WaitEvent wait;
  };
  /// Those that there are.
  [[nodiscard]] static std::vector<Info> list();

 private:
  const std::string_view name_;
  const int64_t begun_unix_us_;
  WaitSlot wait_{WaitEvent::None};
};

/// Microseconds since 1970.
[[nodiscard]] int64_t unixTimeUs();

}  // namespace gnomon
