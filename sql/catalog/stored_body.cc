#include "sql/catalog/stored_body.h"

#include <charconv>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

[[noreturn]] void raiseDamaged() {
  throw SqlError(sqlstate::kDataCorrupted, "the catalog has a routine whose body cannot be read");
}

uint32_t takeNumber(std::string_view& text) {
  uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop == end || *stop != ' ') raiseDamaged();
  text.remove_prefix(static_cast<size_t>(stop - text.data()) + 1);
  return number;
}

}  // namespace

StoredBody StoredBody::of(const RoutineEntry& routine) {
  std::string_view text = routine.body;
  if (text.size() < 2) raiseDamaged();
  StoredBody body;
  body.is_atomic = text[1] == 'A';
  text.remove_prefix(2);
  for (uint32_t left = takeNumber(text); left > 0; --left) {
    const uint32_t table = takeNumber(text);
    body.uses.push_back({table, takeNumber(text)});
  }
  for (uint32_t left = takeNumber(text); left > 0; --left) body.returns.push_back(takeNumber(text));
  body.statements = text;
  return body;
}

std::string StoredBody::text() const {
  std::string text(1, '\0');
  const auto add = [&text](size_t number) { text.append(std::to_string(number)).append(1, ' '); };
  text += is_atomic ? 'A' : 'R';
  add(uses.size());
  for (const ViewEntry::Use& use : uses) {
    add(use.table);
    add(use.column);
  }
  add(returns.size());
  for (const uint32_t number : returns) add(number);
  return text.append(statements);
}

}  // namespace gnomon::sql
