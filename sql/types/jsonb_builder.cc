#include "sql/types/jsonb_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

void appendHeader(JsonKind kind, unsigned depth, size_t count, std::string& out) {
  const JsonbHeader header{kind, 0, static_cast<uint16_t>(depth), static_cast<uint32_t>(count)};
  out.append(reinterpret_cast<const char*>(&header), sizeof(header));
}

void appendEnds(const std::vector<uint32_t>& ends, std::string& out) {
  out.append(reinterpret_cast<const char*>(ends.data()), sizeof(uint32_t) * ends.size());
}

std::string_view partOf(std::string_view bytes, const std::vector<uint32_t>& ends, size_t index) {
  const uint32_t begin = index == 0 ? 0 : ends[index - 1];
  return bytes.substr(begin, ends[index] - begin);
}

void checkSize(std::string_view what, size_t bytes) {
  if (bytes > kJsonbBytesMax)
    throw SqlError(
        sqlstate::kProgramLimitExceeded,
        fmt::format("total size of jsonb {} elements exceeds the maximum of {} bytes", what, kJsonbBytesMax));
}

}  // namespace

void JsonbBuilder::begin() {
  if (frames_.size() >= kJsonDepthMax) throwJsonTooDeep();
  frames_.emplace_back();
}

void JsonbBuilder::added(unsigned depth) {
  if (frames_.empty()) return;
  Frame& frame = frames_.back();
  checkSize(frame.key_ends.empty() ? "array" : "object", frame.values.size());
  frame.value_ends.push_back(static_cast<uint32_t>(frame.values.size()));
  frame.depth = std::max(frame.depth, depth);
}

void JsonbBuilder::beginArray() {
  begin();
}

void JsonbBuilder::endArray() {
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  const unsigned depth = frame.depth + 1;
  if (frames_.size() + depth > kJsonDepthMax) throwJsonTooDeep();
  std::string& bytes = out();
  appendHeader(JsonKind::Array, depth, frame.value_ends.size(), bytes);
  appendEnds(frame.value_ends, bytes);
  bytes += frame.values;
  added(depth);
}

void JsonbBuilder::beginObject() {
  begin();
}

void JsonbBuilder::key(std::string_view key) {
  Frame& frame = frames_.back();
  frame.keys += key;
  checkSize("object", frame.keys.size());
  frame.key_ends.push_back(static_cast<uint32_t>(frame.keys.size()));
}

void JsonbBuilder::endObject() {
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  const unsigned depth = frame.depth + 1;
  if (frames_.size() + depth > kJsonDepthMax) throwJsonTooDeep();
  std::vector<uint32_t> order(frame.key_ends.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto keyAt = [&](uint32_t index) { return partOf(frame.keys, frame.key_ends, index); };
  std::ranges::sort(order, [&](uint32_t left, uint32_t right) {
    const int compared = compareJsonKeys(keyAt(left), keyAt(right));
    return compared != 0 ? compared < 0 : left < right;
  });
  std::vector<uint32_t> kept;
  for (size_t i = 0; i < order.size(); ++i)
    if (i + 1 == order.size() || keyAt(order[i]) != keyAt(order[i + 1])) kept.push_back(order[i]);
  std::vector<uint32_t> ends;
  uint32_t end = 0;
  for (const uint32_t index : kept) ends.push_back(end += static_cast<uint32_t>(keyAt(index).size()));
  for (const uint32_t index : kept)
    ends.push_back(end += static_cast<uint32_t>(partOf(frame.values, frame.value_ends, index).size()));
  std::string& bytes = out();
  appendHeader(JsonKind::Object, depth, kept.size(), bytes);
  appendEnds(ends, bytes);
  for (const uint32_t index : kept) bytes += keyAt(index);
  for (const uint32_t index : kept) bytes += partOf(frame.values, frame.value_ends, index);
  added(depth);
}

void JsonbBuilder::null() {
  out() += static_cast<char>(JsonKind::Null);
  added(0);
}

void JsonbBuilder::boolean(bool value) {
  out().append({static_cast<char>(JsonKind::Boolean), value ? '\1' : '\0'});
  added(0);
}

void JsonbBuilder::string(std::string_view text) {
  checkSize("array", text.size());
  out().append(1, static_cast<char>(JsonKind::String)).append(text);
  added(0);
}

void JsonbBuilder::number(const BigNumeric& number) {
  out().append(1, static_cast<char>(JsonKind::Number)).append(number.encoded());
  added(0);
}

void JsonbBuilder::value(JsonbView value) {
  out() += value.bytes();
  added(value.depth());
}

std::string jsonbString(std::string_view text) {
  JsonbBuilder builder;
  builder.string(text);
  return builder.finish();
}

std::string jsonbNumber(const BigNumeric& number) {
  JsonbBuilder builder;
  builder.number(number);
  return builder.finish();
}

}  // namespace gnomon::sql
