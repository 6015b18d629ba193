#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/catalog/trigger_entry.h"
#include "sql/parse/ast_expression.h"

/// The trees of statements that define triggers.
namespace gnomon::sql::ast {

/// CREATE TRIGGER.
struct CreateTrigger {
  /// OLD TABLE AS name and its kin.
  struct Transition {
    std::string name;
    bool is_new = false;
    bool is_table = false;
  };
  std::string name;
  RelationName relation;
  RelationName function;
  std::vector<std::string> arguments;
  bool is_replacing = false;
  bool is_constraint = false;
  bool is_row = false;
  TriggerEntry::Timing timing = TriggerEntry::Timing::Before;
  uint8_t events = 0;                ///< as TriggerEntry's
  std::vector<std::string> columns;  ///< UPDATE OF
  ExpressionPtr condition;           ///< WHEN; null: none
  std::string condition_text;
  std::vector<Transition> transitions;
  bool is_deferrable = false;
  bool is_deferred = false;
  std::optional<RelationName> referenced;  ///< FROM
};

/// DROP TRIGGER.
struct DropTrigger {
  RelationName relation;
  std::string name;
  bool if_exists = false;
  bool is_cascade = false;
};

/// ALTER TRIGGER ... RENAME TO.
struct RenameTrigger {
  RelationName relation;
  std::string name, new_name;
};

/// ALTER TABLE ... ENABLE, DISABLE TRIGGER, some of them.
struct TriggerFiring {
  struct Command {
    enum class Which : uint8_t { Named, All, User };
    Which which = Which::Named;
    std::string name;  ///< of Named
    TriggerEntry::Firing firing = TriggerEntry::Firing::Origin;
  };
  RelationName relation;
  bool if_exists = false;
  std::vector<Command> commands;
};

}  // namespace gnomon::sql::ast
