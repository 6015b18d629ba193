#include "server/session_threads.h"

#include <sched.h>
#include <unistd.h>

#include "base/logging.h"
#include "base/metrics.h"
#include "base/wait_event.h"
#include "server/session.h"

namespace gnomon::server {

namespace {

/// A client that wakes its session goes on meanwhile, where there is one processor for both: it may have more to say,
/// to other sessions too. Otherwise each message would take two changes of threads. Where the system refuses, nothing
/// is lost but that.
void yieldToClients() {
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
}

}  // namespace

void* SessionThreads::run(void* argument) {
  yieldToClients();
  nameThread("session");
  auto* thread = static_cast<Thread*>(argument);
  try {
    Session session(thread->owner->server_, thread->interrupts, thread->descriptor);
    session.run();
  } catch (const std::exception& error) {
    logLine(LogLevel::Error, "a session could not begin: {}", error.what());
  }
  thread->has_ended.store(true, std::memory_order_release);
  return nullptr;
}

void SessionThreads::start(int descriptor) {
  reap();
  Metrics::instance().add(CounterId::ConnectionsAccepted);
  auto thread = std::unique_ptr<Thread>(new Thread{.owner = this, .descriptor = descriptor, .interrupts = {}});
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const bool is_started =
      threads_.size() < count_max_ && pthread_create(&thread->handle, &attributes, run, thread.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (is_started) {
    threads_.push_back(std::move(thread));
    return;
  }
  Metrics::instance().add(CounterId::ConnectionsRefused);
  Session(server_, thread->interrupts, descriptor)
      .refuse(SqlError(sqlstate::kTooManyConnections, "sorry, too many clients already"));
}

void SessionThreads::reap() {
  std::erase_if(threads_, [](const std::unique_ptr<Thread>& thread) {
    if (!thread->has_ended.load(std::memory_order_acquire)) return false;
    pthread_join(thread->handle, nullptr);
    return true;
  });
}

void SessionThreads::endAll() {
  for (const auto& thread : threads_) thread->interrupts.requestTermination();
  for (const auto& thread : threads_) pthread_join(thread->handle, nullptr);
  threads_.clear();
}

}  // namespace gnomon::server
