#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/parse/ast.h"

/// Sequences that expressions name by literals: nextval('s'), setval('s'::regclass, 5).
namespace gnomon::sql {

/// Whether a function of this name takes a sequence as its first argument.
bool takesSequence(std::string_view function);
/// Whether the expression is a cast to regclass, which means nothing but there.
bool isRegclassCast(const ast::Expression& node);
/// The literal that says which sequence a call means, regclass or not; null: it is no such call, or says so otherwise.
const ast::Expression* sequenceLiteral(const ast::Expression& call);

/// The stored text with each name of a sequence replaced: sequences may get other names, or names other sequences.
std::string withSequences(const std::string& text, const std::function<std::string(const std::string&)>& nameOf);
/// The oids of the sequences in a stored text that withSequences() gave oids.
std::vector<uint32_t> namedSequences(const std::string& text);

}  // namespace gnomon::sql
