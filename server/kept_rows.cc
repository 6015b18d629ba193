#include "server/kept_rows.h"

#include "server/pgwire/message_body.h"
#include "server/pgwire/wire_number.h"
#include "sql/types/text_io.h"

namespace gnomon::server {
namespace {

constexpr size_t kHeaderBytes = 1 + sizeof(int32_t);

/// The first message of these.
std::string_view firstMessage(std::string_view messages) {
  return messages.substr(0, 1 + static_cast<size_t>(readBigEndian<int32_t>(messages.data() + 1)));
}

template <typename T>
void appendNumber(std::string& out, T number) {
  char bytes[sizeof(T)];
  writeBigEndian(bytes, number);
  out.append(bytes, sizeof(T));
}

}  // namespace

void KeptRows::clear() {
  truncate(0);
}

void KeptRows::write(std::span<const char> messages) {
  // At most twice of what there is, for its growth.
  const uint64_t wanted = 2 * (bytes_.size() + messages.size()) + 2 * sizeof(size_t) * ends_.size();
  if (wanted > charged_bytes_) {
    memory_.charge(wanted - charged_bytes_);
    charged_bytes_ = wanted;
  }
  std::string_view rest(messages.data(), messages.size());
  while (!rest.empty()) {
    const std::string_view row = firstMessage(rest);
    bytes_.append(row);
    ends_.push_back(bytes_.size());
    rest.remove_prefix(row.size());
  }
}

bool KeptRows::takeBack() {
  truncate(begun_at_);
  return true;
}

void KeptRows::truncate(size_t rows) {
  ends_.resize(rows);
  bytes_.resize(rows == 0 ? 0 : ends_.back());
}

void ShownRows::write(std::span<const char> messages) {
  constexpr size_t kFieldBytes = sizeof(int32_t) + sizeof(uint64_t);
  const size_t hidden_bytes = hidden_.size() * kFieldBytes;
  shown_.clear();
  std::string_view rest(messages.data(), messages.size());
  while (!rest.empty()) {
    const std::string_view row = firstMessage(rest);
    const size_t at = shown_.size();
    shown_.append(row.substr(0, row.size() - hidden_bytes));
    writeBigEndian(shown_.data() + at + 1, static_cast<uint32_t>(shown_.size() - at - 1));
    const auto columns = readBigEndian<int16_t>(row.data() + kHeaderBytes);
    writeBigEndian(shown_.data() + at + kHeaderBytes,
                   static_cast<int16_t>(columns - static_cast<int16_t>(hidden_.size())));
    rest.remove_prefix(row.size());
    if (!rest.empty()) continue;
    const char* field = row.data() + row.size() - hidden_bytes;
    for (uint64_t& value : hidden_) {
      value = readBigEndian<uint64_t>(field + sizeof(int32_t));
      field += kFieldBytes;
    }
  }
  target_.write(shown_);
}

void RecodedRows::write(std::span<const char> messages) {
  std::string_view rest(messages.data(), messages.size());
  while (!rest.empty()) {
    const std::string_view row = firstMessage(rest);
    recode(row);
    rest.remove_prefix(row.size());
  }
}

void RecodedRows::recode(std::string_view row) {
  MessageBody body(row.substr(kHeaderBytes));
  recoded_.assign(row.substr(0, kHeaderBytes));
  appendNumber(recoded_, body.takeNumber<int16_t>());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const auto bytes = body.takeNumber<int32_t>();
    if (bytes < 0) {
      appendNumber(recoded_, bytes);
      continue;
    }
    const std::string_view given = body.takeBytes(static_cast<size_t>(bytes));
    std::string value;
    const sql::Type& type = columns_[i].type;
    if (from_[i] == to_[i] || type.isString() || type.kind == sql::TypeKind::Unknown) {
      value = given;
    } else {
      if (to_[i] == 1)
        sql::appendBinary(sql::parseText(type, given), value);
      else
        sql::appendText(sql::parseBinary(type, given, static_cast<unsigned>(i + 1)), value);
    }
    appendNumber(recoded_, static_cast<int32_t>(value.size()));
    recoded_ += value;
  }
  writeBigEndian(recoded_.data() + 1, static_cast<uint32_t>(recoded_.size() - 1));
  target_.write(recoded_);
}

}  // namespace gnomon::server
