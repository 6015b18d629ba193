#include "sql/catalog/stored_bound.h"

#include <cstring>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

using End = PartitionBound::End;

enum class Form : uint8_t { Default = 1, Hash, List, Range };
enum class Content : uint8_t { Null, Value, Minimum, Maximum };

template <typename T>
void append(T part, std::string& out) {
  out.append(reinterpret_cast<const char*>(&part), sizeof(T));
}

void appendContent(Content content, const Value& value, std::string& out) {
  append(content, out);
  if (content != Content::Value) return;
  append(value.lo, out);
  append(value.hi, out);
  append(static_cast<uint32_t>(value.bytes.size()), out);
  out += value.bytes;
}

void appendEnds(const std::vector<End>& ends, std::string& out) {
  for (const End& end : ends)
    appendContent(end.kind == End::Kind::Minimum   ? Content::Minimum
                  : end.kind == End::Kind::Maximum ? Content::Maximum
                                                   : Content::Value,
                  end.value, out);
}

class Reader {
 public:
  Reader(std::string_view rest, const PartitionKey& key) : rest_(rest), key_(key) {}

  PartitionBound read() {
    PartitionBound bound;
    switch (take<Form>()) {
      case Form::Default:
        bound.is_default = true;
        break;
      case Form::Hash:
        bound.modulus = take<uint32_t>();
        bound.remainder = take<uint32_t>();
        require(key_.strategy == PartitionStrategy::Hash && bound.remainder < bound.modulus);
        break;
      case Form::List:
        require(key_.strategy == PartitionStrategy::List);
        while (!rest_.empty()) bound.values.push_back(takeEnd(0).value);
        break;
      case Form::Range:
        require(key_.strategy == PartitionStrategy::Range);
        for (std::vector<End>* const ends : {&bound.from, &bound.to})
          for (size_t part = 0; part < key_.types.size(); ++part) ends->push_back(takeEnd(part));
        break;
      default:
        require(false);
    }
    require(rest_.empty());
    return bound;
  }

 private:
  static void require(bool is_sound) {
    if (!is_sound) throw SqlError(sqlstate::kDataCorrupted, "the bound of a partition in the catalog is damaged");
  }

  std::string_view takeBytes(size_t count) {
    require(rest_.size() >= count);
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  template <typename T>
  T take() {
    T part;
    std::memcpy(&part, takeBytes(sizeof(T)).data(), sizeof(T));
    return part;
  }

  End takeEnd(size_t part) {
    const auto content = take<Content>();
    require(content <= Content::Maximum);
    End end{End::Kind::Value, Value::null(key_.types[part])};
    if (content == Content::Minimum) end.kind = End::Kind::Minimum;
    if (content == Content::Maximum) end.kind = End::Kind::Maximum;
    if (content != Content::Value) return end;
    end.value.is_null = false;
    end.value.lo = take<uint64_t>();
    end.value.hi = take<uint64_t>();
    end.value.bytes = takeBytes(take<uint32_t>());
    return end;
  }

  std::string_view rest_;
  const PartitionKey& key_;
};

}  // namespace

std::string storedBound(const PartitionBound& bound) {
  std::string out;
  if (bound.is_default) {
    append(Form::Default, out);
  } else if (bound.modulus != 0) {
    append(Form::Hash, out);
    append(bound.modulus, out);
    append(bound.remainder, out);
  } else if (!bound.from.empty()) {
    append(Form::Range, out);
    appendEnds(bound.from, out);
    appendEnds(bound.to, out);
  } else {
    append(Form::List, out);
    for (const Value& value : bound.values) appendContent(value.is_null ? Content::Null : Content::Value, value, out);
  }
  return out;
}

PartitionBound readStoredBound(std::string_view stored, const PartitionKey& key) {
  return Reader(stored, key).read();
}

}  // namespace gnomon::sql
