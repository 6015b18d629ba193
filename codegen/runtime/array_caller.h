#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/runtime/array_functions.h"
#include "sql/types/array_value.h"

namespace gnomon::codegen {

/// One call with its arguments.
class ArrayCaller {
 public:
  ArrayCaller(const ArrayCall& call, ParameterSlot* slots, Arena* arena) : call_(call), slots_(slots), arena_(arena) {}

  void run();

 private:
  [[nodiscard]] size_t count() const { return call_.arguments.size(); }
  [[nodiscard]] bool isNull(size_t index) const { return slots_[index].is_null != 0; }
  [[nodiscard]] bool anyNull() const {
    return std::ranges::any_of(std::span(slots_, count()), [](const ParameterSlot& slot) { return slot.is_null != 0; });
  }
  [[nodiscard]] sql::Type elementOf(size_t index) const { return call_.arguments[index].element(); }
  [[nodiscard]] StringValue string(size_t index) const { return {slots_[index].lo, slots_[index].hi}; }
  [[nodiscard]] sql::RegisterPair value(size_t index) const { return {slots_[index].lo, slots_[index].hi}; }
  [[nodiscard]] sql::ArrayView array(size_t index) const { return sql::ArrayView(elementOf(index), string(index)); }
  [[nodiscard]] int32_t integer(size_t index) const { return static_cast<int32_t>(slots_[index].lo); }

  void giveNull() { slots_[0] = {0, 0, 1, 0}; }
  void give(sql::RegisterPair value) { slots_[0] = {value.lo, value.hi, 0, 0}; }
  void giveInteger(int64_t number) { give({static_cast<uint64_t>(number), 0}); }
  void giveString(std::string_view text) {
    const StringValue value = rt::copied(text, arena_);
    give({value.lo(), value.hi()});
  }
  void giveArgument(size_t index) { slots_[0] = slots_[index]; }
  void giveElement(const sql::ArrayView& view, size_t index) { view.isNull(index) ? giveNull() : give(view.at(index)); }

  void make();
  void makeNested();
  void subscript();
  void slice();
  void assign();
  void assignSlice();
  void assignToEmpty(std::span<const sql::ArrayDimension> slice, const sql::ArrayView& source);
  void assignGrowing(const sql::ArrayView& view, sql::ArrayDimension slice, const sql::ArrayView& source);
  void bound();
  void boundsText();
  void append(bool at_end);
  void concatenate();
  void concatenateInner(const sql::ArrayView& left, const sql::ArrayView& right);
  void remove();
  void replace();
  void position();
  void positions();
  void toText();
  void fromText();
  void fill();
  std::vector<int32_t> integers(size_t index) const;
  void trim();
  void cut(const sql::ArrayView& view, std::span<const sql::ArrayDimension> kept);
  [[nodiscard]] bool contains(const sql::ArrayView& outer, const sql::ArrayView& inner) const;
  [[nodiscard]] bool overlaps(const sql::ArrayView& left, const sql::ArrayView& right) const;
  void bucket();
  void toTextList();
  void countNulls(bool of_nulls);
  void makeRecord();
  void recordField();
  void recordAssign();
  void recordTest(bool wants_null);
  void retypeRecord();
  void enumBound();
  void enumRange();
  /// The element is argument `index`, NULLs being equal.
  [[nodiscard]] bool isArgument(const sql::ArrayView& view, size_t element, size_t index) const {
    if (view.isNull(element) || isNull(index)) return view.isNull(element) && isNull(index);
    return sql::compareElements(view.element(), view.at(element), value(index)) == 0;
  }

  const ArrayCall& call_;
  ParameterSlot* const slots_;
  Arena* const arena_;
};

}  // namespace gnomon::codegen
