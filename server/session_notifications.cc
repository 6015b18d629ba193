#include "server/session_notifications.h"

#include <algorithm>

#include "base/sql_error.h"

namespace gnomon::server {

void SessionNotifications::add(Said said) {
  const std::scoped_lock lock(mutex_);
  if (said.kind == Kind::Notify && std::ranges::find(said_, said) != said_.end()) return;
  said_.push_back(std::move(said));
}

void SessionNotifications::notify(std::string_view channel, std::string_view payload) {
  constexpr size_t kChannelBytesMax = 63, kPayloadBytesMax = 7999;
  const auto refuse = [](const char* message) { throw SqlError(sqlstate::kInvalidParameterValue, message); };
  if (channel.empty()) refuse("channel name cannot be empty");
  if (channel.size() > kChannelBytesMax) refuse("channel name too long");
  if (payload.size() > kPayloadBytesMax) refuse("payload string too long");
  add({Kind::Notify, std::string(channel), std::string(payload)});
}

void SessionNotifications::undoTo(size_t mark) noexcept {
  if (said_.size() > mark) said_.erase(said_.begin() + static_cast<ptrdiff_t>(mark), said_.end());
}

void SessionNotifications::beforeCommit() {
  if (std::ranges::find(said_, Kind::Notify, &Said::kind) == said_.end()) return;
  committing_ = std::unique_lock(hub_.commitMutex());
  if (hub_.usage() >= 1) throw SqlError(sqlstate::kProgramLimitExceeded, "too many notifications in the NOTIFY queue");
}

void SessionNotifications::committed(int32_t process) {
  for (const Said& said : said_) {
    if (said.kind == Kind::Listen) listener_.listen(said.channel);
    if (said.kind == Kind::Unlisten) listener_.unlisten(said.channel);
    if (said.kind == Kind::UnlistenAll) listener_.unlistenAll();
  }
  for (const Said& said : said_)
    if (said.kind == Kind::Notify) hub_.publish(process, listener_.database(), said.channel, said.payload);
  rolledBack();
}

void SessionNotifications::rolledBack() noexcept {
  said_.clear();
  if (committing_.owns_lock()) committing_.unlock();
}

void SessionNotifications::deliver(MessageWriter& writer) {
  for (const NotificationHub::NotificationPtr& notification : listener_.take()) {
    writer.begin('A');
    writer.putNumber(notification->process);
    writer.putString(notification->channel);
    writer.putString(notification->payload);
    writer.end();
    writer.flushIfFull();
  }
}

}  // namespace gnomon::server
