#include "server/notification_hub.h"

#include <utility>

namespace gnomon::server {

NotificationHub::Notification::Notification(std::atomic<uint64_t>& kept, int32_t sender, std::string on,
                                            std::string text)
    : kept_bytes(kept), process(sender), channel(std::move(on)), payload(std::move(text)) {
  kept_bytes.fetch_add(bytes(), std::memory_order_relaxed);
}

NotificationHub::Listener::~Listener() {
  unlistenAll();
}

void NotificationHub::Listener::listen(const std::string& channel) {
  const std::scoped_lock lock(hub_.mutex_);
  channels_.insert(channel);
  hub_.listeners_.insert(this);
  is_listening_ = true;
}

void NotificationHub::Listener::unlisten(const std::string& channel) {
  const std::scoped_lock lock(hub_.mutex_);
  channels_.erase(channel);
  if (channels_.empty()) hub_.listeners_.erase(this);
  is_listening_ = !channels_.empty();
}

void NotificationHub::Listener::unlistenAll() {
  const std::scoped_lock lock(hub_.mutex_);
  channels_.clear();
  hub_.listeners_.erase(this);
  is_listening_ = false;
}

std::vector<std::string> NotificationHub::Listener::channels() const {
  const std::scoped_lock lock(hub_.mutex_);
  return {channels_.begin(), channels_.end()};
}

std::deque<NotificationHub::NotificationPtr> NotificationHub::Listener::take() {
  const std::scoped_lock lock(hub_.mutex_);
  has_pending_.store(false, std::memory_order_release);
  return std::exchange(pending_, {});
}

void NotificationHub::publish(int32_t process, uint32_t database, const std::string& channel,
                              const std::string& payload) {
  const std::scoped_lock lock(mutex_);
  NotificationPtr notification;
  for (Listener* listener : listeners_) {
    if (listener->database_ != database || !listener->channels_.contains(channel)) continue;
    if (!notification) notification = std::make_shared<const Notification>(kept_bytes_, process, channel, payload);
    listener->pending_.push_back(notification);
    listener->has_pending_.store(true, std::memory_order_release);
    listener->interrupts_.requestAttention();
  }
}

}  // namespace gnomon::server
