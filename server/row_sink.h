#pragma once

#include <span>

#include "server/pgwire/message_writer.h"

namespace gnomon::server {

/// Takes the rows of a run, encoded as messages.
class RowSink {
 public:
  RowSink() = default;
  RowSink(const RowSink&) = delete;
  RowSink& operator=(const RowSink&) = delete;
  virtual ~RowSink() = default;

  /// A run begins, or goes on.
  virtual void begin() = 0;
  /// Whole messages. Failure: that of whoever takes them.
  virtual void write(std::span<const char> messages) = 0;
  /// Forgets what came since begin(). False: some of it cannot be taken back.
  virtual bool takeBack() = 0;
};

/// To the client as they are.
class ClientRows final : public RowSink {
 public:
  explicit ClientRows(MessageWriter& writer) : writer_(writer), mark_(writer.mark()) {}
  void begin() override { mark_ = writer_.mark(); }
  void write(std::span<const char> messages) override { writer_.write(messages); }
  bool takeBack() override {
    if (!writer_.canReturnTo(mark_)) return false;
    writer_.returnTo(mark_);
    return true;
  }

 private:
  MessageWriter& writer_;
  MessageWriter::Mark mark_;
};

/// Nowhere.
class NoRows final : public RowSink {
 public:
  void begin() override {}
  void write(std::span<const char> /*messages*/) override {}
  bool takeBack() override { return true; }
};

}  // namespace gnomon::server
