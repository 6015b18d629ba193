#include "codegen/ir/runtime_function.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/assert.h"

namespace gnomon::codegen {
namespace {

/// Rows never move: generated code and IR hold their addresses.
struct Registry {
  std::mutex mutex;
  std::deque<RuntimeFunction> rows;
  std::unordered_map<std::string_view, const RuntimeFunction*> by_name;
};

Registry& registry() {
  // Not destroyed: background compilations may outlive static destruction.
  static auto* instance = new Registry;
  return *instance;
}

}  // namespace

namespace detail {

const RuntimeFunction& addRuntimeFunction(RuntimeFunction function) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.by_name.find(function.name); found != all.by_name.end()) {
    CHECK(found->second->address == function.address, "one runtime function per name");
    return *found->second;
  }
  all.rows.push_back(std::move(function));
  const RuntimeFunction& row = all.rows.back();
  all.by_name.emplace(row.name, &row);
  return row;
}

}  // namespace detail

const RuntimeFunction* findRuntimeFunction(std::string_view name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_name.find(name);
  return found == all.by_name.end() ? nullptr : found->second;
}

}  // namespace gnomon::codegen
