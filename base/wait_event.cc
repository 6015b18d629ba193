#include "base/wait_event.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace gnomon {
namespace {

thread_local WaitSlot* own_slot = nullptr;

struct BackgroundThreads {
  std::mutex mutex;
  std::vector<const BackgroundThread*> threads;
};
BackgroundThreads& backgroundThreads() {
  // Threads may end after the last static object is gone.
  static auto* const threads = new BackgroundThreads;
  return *threads;
}

}  // namespace

WaitEventName nameOf(WaitEvent event) {
  static constexpr std::array<WaitEventName, static_cast<size_t>(WaitEvent::Count)> kNames = {
      {{"", ""},
       {"Client", "ClientRead"},
       {"Client", "ClientWrite"},
       {"Lock", "relation"},
       {"Lock", "transactionid"},
       {"Lock", "advisory"},
       {"IO", "WALSync"},
       {"IO", "DataFileRead"},
       {"Activity", "CheckpointerMain"},
       {"Activity", "GarbageCollectorMain"},
       {"Activity", "PageProviderMain"},
       {"Activity", "WalWriterMain"},
       {"Activity", "CompilerMain"},
       {"Timeout", "PgSleep"}}};
  return kNames[static_cast<size_t>(event)];
}

void setWaitSlot(WaitSlot* slot) {
  own_slot = slot;
}

WaitScope::WaitScope(WaitEvent event)
    : slot_(own_slot), before_(slot_ ? slot_->load(std::memory_order_relaxed) : WaitEvent::None) {
  if (slot_) slot_->store(event, std::memory_order_relaxed);
}

WaitScope::~WaitScope() {
  if (slot_) slot_->store(before_, std::memory_order_relaxed);
}

int64_t unixTimeUs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

void nameThread(std::string_view name) {
  constexpr size_t kNameBytesMax = 15;
  pthread_setname_np(pthread_self(), std::string(name.substr(0, kNameBytesMax)).c_str());
}

BackgroundThread::BackgroundThread(std::string_view name) : name_(name), begun_unix_us_(unixTimeUs()) {
  setWaitSlot(&wait_);
  nameThread(name);
  BackgroundThreads& all = backgroundThreads();
  const std::scoped_lock lock(all.mutex);
  all.threads.push_back(this);
}

BackgroundThread::~BackgroundThread() {
  setWaitSlot(nullptr);
  BackgroundThreads& all = backgroundThreads();
  const std::scoped_lock lock(all.mutex);
  std::erase(all.threads, this);
}

std::vector<BackgroundThread::Info> BackgroundThread::list() {
  BackgroundThreads& all = backgroundThreads();
  const std::scoped_lock lock(all.mutex);
  std::vector<Info> infos;
  for (const BackgroundThread* thread : all.threads)
    infos.push_back({thread->name_, thread->begun_unix_us_, thread->wait_.load(std::memory_order_relaxed)});
  return infos;
}

}  // namespace gnomon
