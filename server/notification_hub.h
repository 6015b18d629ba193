#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/interrupts.h"

namespace gnomon::server {

/// What NOTIFY hands from transactions that commit to the sessions that listen.
///
/// Rules:  N1  who listens gets notifications in the order of the commits: commits that notify are made one after the
///             other, under commitMutex()
///         N2  a notification is kept until each that listened when it was committed has taken it, or is gone
/// Threads: any.
class NotificationHub {
 public:
  /// Beyond it transactions that notify fail, until who listens has taken some.
  static constexpr uint64_t kBytesMax = 64 << 20;

  struct Notification {
    Notification(std::atomic<uint64_t>& kept, int32_t sender, std::string on, std::string text);
    ~Notification() { kept_bytes.fetch_sub(bytes(), std::memory_order_relaxed); }
    Notification(const Notification&) = delete;
    Notification& operator=(const Notification&) = delete;
    [[nodiscard]] uint64_t bytes() const { return sizeof(Notification) + channel.size() + payload.size(); }

    std::atomic<uint64_t>& kept_bytes;
    const int32_t process;
    const std::string channel, payload;
  };
  using NotificationPtr = std::shared_ptr<const Notification>;

  /// A session that may listen. Ended before its interrupts are.
  class Listener {
   public:
    Listener(NotificationHub& hub, Interrupts& interrupts) : hub_(hub), interrupts_(interrupts) {}
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    /// Only what is said in this database is for it. Before it listens.
    void enter(uint32_t database) { database_ = database; }
    [[nodiscard]] uint32_t database() const { return database_; }
    void listen(const std::string& channel);
    void unlisten(const std::string& channel);
    void unlistenAll();
    /// By the session's thread.
    [[nodiscard]] bool isListening() const { return is_listening_; }
    [[nodiscard]] std::vector<std::string> channels() const;
    [[nodiscard]] bool hasPending() const { return has_pending_.load(std::memory_order_acquire); }
    /// Those that have come, in order.
    std::deque<NotificationPtr> take();

   private:
    friend class NotificationHub;
    NotificationHub& hub_;
    Interrupts& interrupts_;
    uint32_t database_ = 0;
    bool is_listening_ = false;                    ///< whether there are channels; written by the session's thread
    std::set<std::string, std::less<>> channels_;  ///< guarded by the hub's mutex
    std::deque<NotificationPtr> pending_;          ///< guarded by the hub's mutex
    std::atomic<bool> has_pending_{false};
  };

  [[nodiscard]] std::mutex& commitMutex() { return commit_mutex_; }
  /// To all in the database that listen, whom it wakes; under commitMutex().
  void publish(int32_t process, uint32_t database, const std::string& channel, const std::string& payload);
  /// Of 1.
  [[nodiscard]] double usage() const {
    return static_cast<double>(kept_bytes_.load(std::memory_order_relaxed)) / static_cast<double>(kBytesMax);
  }

 private:
  std::mutex commit_mutex_;  ///< before mutex_
  mutable std::mutex mutex_;
  std::set<Listener*> listeners_;  ///< those with channels
  std::atomic<uint64_t> kept_bytes_{0};
};

}  // namespace gnomon::server
