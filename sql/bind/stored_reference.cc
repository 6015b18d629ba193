#include "sql/bind/stored_reference.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/sql_error.h"
#include "sql/bind/identifier_text.h"
#include "sql/bind/object_literal.h"
#include "sql/catalog/schema_entry.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

/// Takes stored references apart.
class ReferenceReader {
 public:
  explicit ReferenceReader(std::string_view text) : text_(text) {}

  StoredReference readReference() {
    StoredReference reference;
    reference.oid = readNumber(' ');
    reference.column_count = readNumber(' ');
    reference.schema = readName();
    for (uint32_t left = readNumber(' '); left > 0; --left) {
      const uint32_t column = readNumber(' ');
      reference.old_names[column] = readName();
    }
    return reference;
  }
  uint32_t readNumber(char behind) {
    uint32_t number = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data(), end, number);
    if (error != std::errc() || stop == end || *stop != behind) raiseDamaged();
    text_.remove_prefix(static_cast<size_t>(stop - text_.data()) + 1);
    return number;
  }
  [[nodiscard]] std::string_view rest() const { return text_; }

 private:
  [[noreturn]] static void raiseDamaged() {
    throw SqlError(sqlstate::kDataCorrupted, "the catalog has a view whose references cannot be read");
  }
  std::string readName() {
    const uint32_t size = readNumber(':');
    if (size > text_.size()) raiseDamaged();
    std::string name(text_.substr(0, size));
    text_.remove_prefix(size);
    return name;
  }

  std::string_view text_;
};

void appendName(std::string& text, const std::string& name) {
  text.append(std::to_string(name.size())).append(1, ':').append(name);
}

/// Whether what follows an item of FROM is a name for it.
bool isAlias(std::string_view text) {
  constexpr std::string_view kOthers[] = {
      "cross", "except",  "fetch",  "for", "full",  "group", "having",      "inner", "intersect", "join",  "left",
      "limit", "natural", "offset", "on",  "order", "right", "tablesample", "union", "using",     "where", "window"};
  // Behind what is changed. A name would not be in capitals.
  constexpr std::string_view kOfChanges[] = {"DEFAULT", "OVERRIDING", "RETURNING", "SELECT", "SET", "VALUES", "WITH"};
  if (!text.starts_with(' ')) return false;
  text.remove_prefix(1);
  if (text.starts_with('"')) return true;
  if (std::ranges::any_of(kOfChanges, [text](std::string_view word) { return text.starts_with(word); })) return false;
  std::string word;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && static_cast<unsigned char>(c) < 0x80U) break;
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return !word.empty() && std::ranges::find(kOthers, word) == std::end(kOthers);
}

/// Where the name ends that isAlias() is true for; 0: names of columns follow.
size_t aliasEnd(std::string_view text) {
  size_t at = 1;
  if (text.substr(at).starts_with("AS ")) at += 3;
  if (text.substr(at).starts_with('"')) {
    at = identifierEnd(text, at);
  } else {
    const auto isPart = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
             static_cast<unsigned char>(c) >= 0x80U;
    };
    while (at < text.size() && isPart(text[at])) ++at;
  }
  const size_t next = text.find_first_not_of(' ', at);
  return next != std::string_view::npos && text[next] == '(' ? 0 : at;
}

/// The number behind the '@' that begins it, and nothing else.
std::optional<uint32_t> numberOf(std::string_view schema) {
  if (!schema.starts_with('@')) return std::nullopt;
  uint32_t number = 0;
  const char* const end = schema.data() + schema.size();
  const auto [stop, error] = std::from_chars(schema.data() + 1, end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// What the literal 'text' says.
std::string contentOf(std::string_view literal) {
  std::string result;
  for (size_t i = 1; i + 1 < literal.size(); ++i) {
    result += literal[i];
    if (literal[i] == '\'') ++i;
  }
  return result;
}

using Shown = StoredReferences::Shown;

/// The text with what `show(schema, name, has_alias)` says for each name behind a schema in quotes; nullopt: itself.
template <typename Show>
std::string withQualified(std::string_view text, const Show& show) {
  std::string result;
  size_t copied = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\'') {
      const bool has_escapes = at > 0 && (text[at - 1] == 'E' || text[at - 1] == 'e');
      const size_t end = literalEnd(text, has_escapes ? at - 1 : at);
      const auto named = has_escapes ? std::nullopt : readObjectLiteral(contentOf(text.substr(at, end - at)));
      const auto shown = named ? show(named->schema, named->name, false) : std::nullopt;
      if (shown) {
        result.append(text.substr(copied, at - copied)).append(asLiteral(shown->text));
        copied = end;
      }
      at = end;
      continue;
    }
    if (text[at] != '"') {
      ++at;
      continue;
    }
    const size_t end = identifierEnd(text, at);
    const bool is_qualified = end < text.size() && text[end] == '.';
    const size_t name_end = is_qualified ? identifierEnd(text, end + 1) : end;
    std::optional<Shown> shown;
    if (is_qualified)
      shown = show(unquotedIdentifier(text.substr(at, end - at)),
                   unquotedIdentifier(text.substr(end + 1, name_end - end - 1)), isAlias(text.substr(name_end)));
    if (!shown) {
      at = end;
      continue;
    }
    result.append(text.substr(copied, at - copied)).append(shown->text);
    at = copied = name_end;
    if (shown->behind_alias.empty()) continue;
    if (const size_t alias_bytes = aliasEnd(text.substr(name_end)); alias_bytes != 0) {
      at = copied = name_end + alias_bytes;
      result.append(text.substr(name_end, alias_bytes)).append(shown->behind_alias);
    }
  }
  return result.append(text.substr(copied));
}

}  // namespace

std::string namedByOid(uint32_t oid, const std::string& name) {
  return schemaOfOid(oid) + "." + quotedIdentifier(name);
}

std::string schemaOfOid(uint32_t oid) {
  return "\"@" + std::to_string(oid) + "\"";
}

std::optional<uint32_t> oidOf(std::string_view schema) {
  const std::optional<uint32_t> number = numberOf(schema);
  // Below are the numbers of a query's own references.
  return number >= kFirstUserOid ? number : std::nullopt;
}

std::string withObjects(std::string_view text, const ShowObject& show) {
  return withQualified(text, [&](const std::string& schema, const std::string& name, bool) -> std::optional<Shown> {
    const std::optional<uint32_t> oid = oidOf(schema);
    return oid ? std::optional(Shown{show(*oid, name)}) : std::nullopt;
  });
}

std::string StoredReference::nameOf(uint32_t column, const std::string& now) const {
  if (column >= column_count) return {};
  const auto old = old_names.find(column);
  return old != old_names.end() ? old->second : now;
}

StoredReferences::StoredReferences(std::string_view stored) {
  ReferenceReader reader(stored);
  for (uint32_t left = reader.readNumber(';'); left > 0; --left) references_.push_back(reader.readReference());
  sql_ = reader.rest();
}

const StoredReference* StoredReferences::find(std::string_view schema) const {
  const std::optional<uint32_t> number = numberOf(schema);
  return number && *number < references_.size() ? &references_[*number] : nullptr;
}

std::string StoredReferences::add(StoredReference reference) {
  references_.push_back(std::move(reference));
  return "@" + std::to_string(references_.size() - 1);
}

std::string StoredReferences::with(std::string_view sql) const {
  std::string text = std::to_string(references_.size()) + ";";
  for (const StoredReference& reference : references_) {
    text.append(std::to_string(reference.oid)).append(1, ' ');
    text.append(std::to_string(reference.column_count)).append(1, ' ');
    appendName(text, reference.schema);
    text.append(std::to_string(reference.old_names.size())).append(1, ' ');
    for (const auto& [column, name] : reference.old_names) {
      text.append(std::to_string(column)).append(1, ' ');
      appendName(text, name);
    }
  }
  return text.append(sql);
}

void StoredReferences::renameColumn(uint32_t oid, uint32_t column, const std::string& old_name) {
  for (StoredReference& reference : references_)
    if (reference.oid == oid && column < reference.column_count) reference.old_names.emplace(column, old_name);
}

void StoredReferences::renumber(const std::function<uint32_t(uint32_t)>& oid_of) {
  for (StoredReference& reference : references_) reference.oid = oid_of(reference.oid);
}

std::string StoredReferences::shown(const Show& show, const ShowObject& show_object) const {
  return withQualified(sql_,
                       [&](const std::string& schema, const std::string& name, bool has_alias) -> std::optional<Shown> {
                         if (const StoredReference* const reference = find(schema))
                           return show(*reference, name, has_alias);
                         if (const std::optional<uint32_t> oid = oidOf(schema)) return Shown{show_object(*oid, name)};
                         return std::nullopt;
                       });
}

}  // namespace gnomon::sql
