#include "sql/bind/window_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"

namespace gnomon::sql {
namespace {

bool areEqual(const ExpressionPtr& one, const ExpressionPtr& other) {
  if (one == nullptr || other == nullptr) return one == other;
  return one->equals(*other);
}

bool areEqual(const std::vector<ExpressionPtr>& one, const std::vector<ExpressionPtr>& other) {
  return std::ranges::equal(
      one, other, [](const ExpressionPtr& left, const ExpressionPtr& right) { return areEqual(left, right); });
}

bool areEqual(const std::vector<SortKey>& one, const std::vector<SortKey>& other) {
  return std::ranges::equal(one, other, [](const SortKey& left, const SortKey& right) {
    return areEqual(left.expression, right.expression) && left.descending == right.descending &&
           left.nulls_first == right.nulls_first;
  });
}

bool areEqual(const Window::Bound& one, const Window::Bound& other) {
  return one.kind == other.kind && areEqual(one.offset, other.offset) && areEqual(one.limit, other.limit);
}

bool areEqual(const Window::Frame& one, const Window::Frame& other) {
  return one.mode == other.mode && one.exclusion == other.exclusion && areEqual(one.start, other.start) &&
         areEqual(one.end, other.end);
}

bool areEqual(const Window::Function& one, const Window::Function& other) {
  return one.function == other.function && areEqual(one.arguments, other.arguments) &&
         (one.function != WindowFunctionId::Aggregate || one.aggregate.function == other.aggregate.function) &&
         areEqual(one.aggregate.argument, other.aggregate.argument) &&
         areEqual(one.aggregate.second, other.aggregate.second) && areEqual(one.frame, other.frame);
}

bool isVolatile(const Window::Function& function) {
  const auto answersOtherwise = [](const ExpressionPtr& value) { return value != nullptr && value->isVolatile(); };
  return std::ranges::any_of(function.arguments, answersOtherwise) || answersOtherwise(function.aggregate.argument) ||
         answersOtherwise(function.aggregate.second) || answersOtherwise(function.frame.start.offset) ||
         answersOtherwise(function.frame.end.offset);
}

}  // namespace

void WindowCalls::define(const Definitions& definitions) {
  for (auto definition = definitions.begin(); definition != definitions.end(); ++definition)
    if (std::any_of(definitions.begin(), definition,
                    [&](const auto& each) { return each->name == (*definition)->name; }))
      throw SqlError(sqlstate::kWindowingError, fmt::format("window \"{}\" is already defined", (*definition)->name))
          .position((*definition)->position);
  definitions_ = &definitions;
}

const ast::WindowDefinition* WindowCalls::find(std::string_view name) const {
  if (definitions_ == nullptr) return nullptr;
  const auto found = std::ranges::find_if(*definitions_, [&](const auto& each) { return each->name == name; });
  return found == definitions_->end() ? nullptr : found->get();
}

bool WindowCalls::isBefore(const ast::WindowDefinition& one, const ast::WindowDefinition& other) const {
  for (const auto& definition : *definitions_)
    if (definition.get() == &one || definition.get() == &other) return definition.get() == &one && &one != &other;
  return false;
}

Iu WindowCalls::add(std::vector<ExpressionPtr> partition, std::vector<SortKey> order, Window::Function function) {
  auto window = std::ranges::find_if(windows_, [&](const std::unique_ptr<Window>& known) {
    return areEqual(known->partition, partition) && areEqual(known->order, order);
  });
  if (window == windows_.end()) {
    windows_.push_back(std::make_unique<Window>());
    window = windows_.end() - 1;
    (*window)->partition = std::move(partition);
    (*window)->order = std::move(order);
  }
  for (const Window::Function& known : (*window)->functions) {
    if (!areEqual(known, function)) continue;
    if (!isVolatile(function)) return known.iu;
    repeated_[function.iu] = known.iu;
    break;
  }
  (*window)->functions.push_back(std::move(function));
  return (*window)->functions.back().iu;
}

void WindowCalls::dropRepeated(const Expression& expression) {
  std::vector<Iu> units;
  expression.collectUnits(units);
  for (const Iu unit : units)
    if (repeated_.contains(unit))
      for (const std::unique_ptr<Window>& window : windows_)
        std::erase_if(window->functions, [&](const Window::Function& function) { return function.iu == unit; });
}

UnitSet WindowCalls::units() const {
  UnitSet units;
  for (const std::unique_ptr<Window>& window : windows_)
    for (const Window::Function& function : window->functions) units.insert(function.iu);
  return units;
}

void WindowCalls::forEachExpression(const std::function<void(ExpressionPtr&)>& visit) {
  for (const std::unique_ptr<Window>& window : windows_) sql::forEachExpression(*window, visit);
}

void WindowCalls::forEachKey(const std::function<void(ExpressionPtr&)>& visit) {
  for (const std::unique_ptr<Window>& window : windows_) {
    for (ExpressionPtr& key : window->partition) visit(key);
    for (SortKey& key : window->order) visit(key.expression);
  }
}

std::vector<ExpressionPtr> WindowCalls::volatileKeys() {
  std::vector<ExpressionPtr> keys;
  forEachKey([&](const ExpressionPtr& key) {
    if (key->isVolatile()) keys.push_back(key->clone());
  });
  return keys;
}

OperatorPtr WindowCalls::attach(OperatorPtr input) {
  for (std::unique_ptr<Window>& window : windows_) {
    window->inputs.push_back(std::move(input));
    input = std::move(window);
  }
  windows_.clear();
  return input;
}

}  // namespace gnomon::sql
