#include "sql/bind/routine_call.h"

#include <algorithm>
#include <optional>

#include "sql/bind/coercion.h"
#include "sql/bind/polymorphic_call.h"

namespace gnomon::sql {
namespace {

using Parameter = RoutineEntry::Parameter;
using Inputs = std::vector<RoutineCall::Input>;

/// A way to call a routine with these arguments: what type each of them is to have.
struct Candidate {
  RoutineCall call;
  std::vector<Type> types;
  std::vector<TypeKind> kinds;
  bool is_listed = false;          ///< the last arguments are elements of a VARIADIC array
  bool is_one_of_several = false;  ///< others of its schema take the same
};

/// The inputs that positional arguments, and behind them named ones, go to; nothing: they fit none.
std::optional<Inputs> place(const std::vector<const Parameter*>& inputs, size_t count,
                            std::span<const std::string> names, bool is_variadic, bool lists) {
  Inputs placed(inputs.size());
  const bool has_list = !inputs.empty() && inputs.back()->mode == Parameter::Mode::Variadic;
  if (is_variadic && (!has_list || lists)) return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    size_t input = i;
    if (i < names.size() && !names[i].empty()) {
      const auto found = std::ranges::find(inputs, names[i], &Parameter::name);
      if (found == inputs.end()) return std::nullopt;
      input = static_cast<size_t>(found - inputs.begin());
      if (placed[input].argument != RoutineCall::Input::kDefault || (lists && input + 1 == inputs.size()))
        return std::nullopt;
    } else if (lists && input + 1 >= inputs.size()) {
      placed.back().listed.push_back(i);
      continue;
    }
    if (input >= inputs.size()) return std::nullopt;
    placed[input].argument = i;
  }
  for (size_t input = 0; input < inputs.size(); ++input)
    if (placed[input].argument == RoutineCall::Input::kDefault && placed[input].listed.empty() &&
        inputs[input]->default_text.empty())
      return std::nullopt;
  return placed;
}

/// How many arguments are of the candidate's types as they are.
size_t exactCount(const Candidate& candidate, std::span<const ExpressionPtr> arguments) {
  size_t count = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type actual = arguments[i]->type;
    const bool is_exact = actual.isDefined() ? actual.isSameAs(candidate.types[i]) : actual.kind == candidate.kinds[i];
    if (is_exact) ++count;
  }
  return count;
}

/// Rows of partitions fit what takes rows of their table: of kinds alone that would be as good as those themselves.
void keepNearest(std::vector<Candidate>& fitting, std::span<const ExpressionPtr> arguments) {
  if (std::ranges::none_of(arguments, [](const ExpressionPtr& each) { return each->type.isRecord(); })) return;
  size_t best = 0;
  for (const Candidate& candidate : fitting) best = std::max(best, exactCount(candidate, arguments));
  std::erase_if(fitting, [&](const Candidate& each) { return exactCount(each, arguments) < best; });
}

std::optional<Candidate> candidateOf(const TablePtr& entry, std::span<const ExpressionPtr> arguments,
                                     std::span<const std::string> names, bool is_variadic, bool lists) {
  const std::vector<const Parameter*> inputs = entry->routine->inputs();
  auto placed = place(inputs, arguments.size(), names, is_variadic, lists);
  if (!placed) return std::nullopt;
  Candidate candidate;
  candidate.call = {entry, entry, std::move(*placed)};
  candidate.is_listed = lists;
  candidate.types.resize(arguments.size());
  for (size_t input = 0; input < inputs.size(); ++input) {
    const RoutineCall::Input& given = candidate.call.inputs[input];
    if (given.argument != RoutineCall::Input::kDefault) candidate.types[given.argument] = inputs[input]->type;
    for (const size_t argument : given.listed) candidate.types[argument] = declaredElement(inputs[input]->type);
  }
  PolymorphicCall polymorphic;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type declared = candidate.types[i];
    if (declared.isPolymorphic())
      polymorphic.add(declared, arguments[i]->type);
    else if (!Coercion::isPossible(*arguments[i], declared, CastContext::Implicit))
      return std::nullopt;
    candidate.kinds.push_back(declared.kind);
  }
  if (!polymorphic.fits()) return std::nullopt;
  return candidate;
}

}  // namespace

OverloadOutcome chooseRoutine(std::span<const TablePtr> candidates, std::span<const ExpressionPtr> arguments,
                              std::span<const std::string> names, bool is_variadic, RoutineCall& chosen) {
  std::vector<Candidate> fitting;
  for (const TablePtr& entry : candidates)
    for (const bool lists : {false, true}) {
      const bool has_list = entry->routine->isVariadic() && !is_variadic;
      if (lists && !has_list) continue;
      // Arguments are elements of the list, if there are any for it.
      if (!lists && has_list && arguments.size() >= entry->routine->inputs().size()) continue;
      auto candidate = candidateOf(entry, arguments, names, is_variadic, lists);
      if (!candidate) continue;
      const auto same = std::ranges::find(fitting, candidate->types, &Candidate::types);
      if (same == fitting.end()) {
        fitting.push_back(std::move(*candidate));
        continue;
      }
      // Of two that take the same the one stays that is found first, then the one that takes them as they are.
      if (same->call.entry->schema != entry->schema) continue;
      if (same->is_listed == candidate->is_listed)
        same->is_one_of_several = true;
      else if (same->is_listed)
        *same = std::move(*candidate);
    }
  if (fitting.empty()) return OverloadOutcome::None;
  if (fitting.size() > 1) keepNearest(fitting, arguments);
  std::vector<TypeKind> actual;
  for (const ExpressionPtr& argument : arguments) actual.push_back(argument->type.kind);
  std::vector<std::span<const TypeKind>> lists;
  for (const Candidate& candidate : fitting) lists.emplace_back(candidate.kinds);
  size_t index = 0;
  const OverloadOutcome outcome = fitting.size() == 1 ? OverloadOutcome::Found : chooseOverload(lists, actual, index);
  if (outcome != OverloadOutcome::Found) return outcome;
  if (fitting[index].is_one_of_several) return OverloadOutcome::Ambiguous;
  // Of types of one kind none is better than another, unless it is the argument's.
  const auto is_as_good = [&](const Candidate& each) {
    return &each != &fitting[index] && each.kinds == fitting[index].kinds;
  };
  if (std::ranges::any_of(fitting, is_as_good)) return OverloadOutcome::Ambiguous;
  chosen = std::move(fitting[index].call);
  return outcome;
}

}  // namespace gnomon::sql
