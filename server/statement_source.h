#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/bind/variable_names.h"
#include "sql/bound_statement.h"
#include "sql/parse/parser.h"
#include "sql/statement.h"
#include "sql/types/type.h"

namespace gnomon::server {

/// A statement as the client sent it: from this it can be planned at any time again. Threads: immutable.
struct StatementSource {
  std::shared_ptr<const std::string> text;  ///< the whole message's; positions count from its begin
  sql::ParsedStatement parsed;              ///< may be left out with is_whole_text: parsed when it is needed
  std::vector<sql::Type> parameter_types;   ///< as the client declared them
  /// Likewise what they have to do with domains (sql::domainOid()); none: nothing.
  std::vector<uint32_t> parameter_domains = {};
  bool is_whole_text = false;                   ///< no other statement stands in the text: plans may be found by it
  bool fills = false;                           ///< as in sql::BindContext
  sql::TablePtr rewritten = {};                 ///< likewise
  sql::AlterPart part = sql::AlterPart::Whole;  ///< likewise
  sql::TablePtr routine = {};                   ///< likewise
  uint32_t number = 0;                          ///< of the statement in the routine's body
  std::shared_ptr<const sql::VariableNames> variables = {};  ///< likewise; such a statement is not found by its text
  std::shared_ptr<const std::vector<sql::VirtualRelationPtr>> transitions = {};  ///< likewise
  bool is_positioned = false;                                                    ///< as in sql::BindContext
};

/// Whether a block that failed takes the statement: it ends the block, or goes back to a savepoint.
bool endsFailedBlock(const sql::ParsedStatement& statement);
bool endsFailedBlock(const sql::BoundStatement& statement);

}  // namespace gnomon::server
