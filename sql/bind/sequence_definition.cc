#include "sql/bind/sequence_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/sql_error.h"
#include "sql/bind/creation_path.h"
#include "sql/bind/table_definition.h"
#include "sql/bind/type_name.h"
#include "sql/catalog/access.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/sequences.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

using Option = ast::SequenceOption;
using Kind = ast::SequenceOption::Kind;

constexpr SqlState kSuccess("00000");

int64_t minimumOf(TypeKind type) {
  return type == TypeKind::Smallint ? INT16_MIN : type == TypeKind::Integer ? INT32_MIN : INT64_MIN;
}
int64_t maximumOf(TypeKind type) {
  return type == TypeKind::Smallint ? INT16_MAX : type == TypeKind::Integer ? INT32_MAX : INT64_MAX;
}
bool isSequenceType(TypeKind type) {
  return type == TypeKind::Smallint || type == TypeKind::Integer || type == TypeKind::Bigint;
}

[[noreturn]] void raiseInvalid(std::string message) {
  throw SqlError(sqlstate::kInvalidParameterValue, std::move(message));
}

/// Applies options in PostgreSQL's order, which is not that in which they are written.
class OptionsBinder {
 public:
  OptionsBinder(const std::vector<Option>& options, const SequenceDefinition* before,
                std::optional<TypeKind> identity_type)
      : is_new_(before == nullptr), identity_type_(identity_type) {
    if (before != nullptr) result_.definition = *before;
    for (const Option& option : options) {
      const Option*& place = given_[static_cast<size_t>(option.kind)];
      const bool is_typed = option.kind == Kind::Type && identity_type;
      if (place != nullptr || is_typed)
        throw SqlError(sqlstate::kSyntaxError, "conflicting or redundant options").position(option.position);
      place = &option;
    }
  }

  SequenceOptions bind() {
    for (const Option* option : given_) result_.has_values |= option != nullptr && option->kind != Kind::OwnedBy;
    bindType();
    bindIncrement();
    if (const Option* cycle = find(Kind::Cycle)) range().is_cycle = cycle->is_on;
    bindMaximum();
    bindMinimum();
    if (range().minimum >= range().maximum)
      raiseInvalid(fmt::format("MINVALUE ({}) must be less than MAXVALUE ({})", range().minimum, range().maximum));
    bindStart();
    if (const Option* restart = find(Kind::Restart)) {
      result_.restarts = true;
      if (!restart->number.empty()) result_.restart = numberOf(*restart);
    }
    if (const Option* cache = find(Kind::Cache)) {
      range().cache = numberOf(*cache);
      if (range().cache <= 0) raiseInvalid(fmt::format("CACHE ({}) must be greater than zero", range().cache));
    }
    if (const Option* owner = find(Kind::OwnedBy)) result_.owned_by = owner->names;
    if (const Option* name = find(Kind::Name))
      result_.path = {name->names.size() > 1 ? name->names[name->names.size() - 2] : std::string(), name->names.back()};
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Option* find(Kind kind) const { return given_[static_cast<size_t>(kind)]; }
  txn::SequenceRange& range() { return result_.definition.range; }
  SequenceDefinition& definition() { return result_.definition; }
  static int64_t numberOf(const Option& option) { return parseBigint(option.number); }

  void bindType() {
    const Option* const given = find(Kind::Type);
    if (given == nullptr && !identity_type_) return;
    const TypeKind type = given != nullptr ? resolveTypeName(given->type).type.kind : *identity_type_;
    if (!isSequenceType(type))
      raiseInvalid(identity_type_ ? "identity column type must be smallint, integer, or bigint"
                                  : "sequence type must be smallint, integer, or bigint");
    // Limits that were those of the type become those of the other.
    resets_maximum_ = !is_new_ && range().maximum == maximumOf(definition().type);
    resets_minimum_ = !is_new_ && range().minimum == minimumOf(definition().type);
    definition().type = type;
  }
  void bindIncrement() {
    const Option* const given = find(Kind::Increment);
    if (given == nullptr) return;
    range().increment = numberOf(*given);
    if (range().increment == 0) raiseInvalid("INCREMENT must not be zero");
  }
  [[nodiscard]] std::string typeName() { return Type::of(definition().type).baseName(); }
  void bindMaximum() {
    const Option* const given = find(Kind::Maximum);
    if (given != nullptr && !given->number.empty())
      range().maximum = numberOf(*given);
    else if (is_new_ || given != nullptr || resets_maximum_)
      range().maximum = range().increment > 0 || resets_maximum_ ? maximumOf(definition().type) : -1;
    if (range().maximum < minimumOf(definition().type) || range().maximum > maximumOf(definition().type))
      raiseInvalid(fmt::format("MAXVALUE ({}) is out of range for sequence data type {}", range().maximum, typeName()));
  }
  void bindMinimum() {
    const Option* const given = find(Kind::Minimum);
    if (given != nullptr && !given->number.empty())
      range().minimum = numberOf(*given);
    else if (is_new_ || given != nullptr || resets_minimum_)
      range().minimum = range().increment < 0 || resets_minimum_ ? minimumOf(definition().type) : 1;
    if (range().minimum < minimumOf(definition().type) || range().minimum > maximumOf(definition().type))
      raiseInvalid(fmt::format("MINVALUE ({}) is out of range for sequence data type {}", range().minimum, typeName()));
  }
  void bindStart() {
    int64_t& start = definition().start;
    if (const Option* given = find(Kind::Start))
      start = numberOf(*given);
    else if (is_new_)
      start = range().increment > 0 ? range().minimum : range().maximum;
    if (start < range().minimum)
      raiseInvalid(fmt::format("START value ({}) cannot be less than MINVALUE ({})", start, range().minimum));
    if (start > range().maximum)
      raiseInvalid(fmt::format("START value ({}) cannot be greater than MAXVALUE ({})", start, range().maximum));
  }

  static constexpr size_t kKinds = static_cast<size_t>(Kind::Name) + 1;
  const bool is_new_;
  const std::optional<TypeKind> identity_type_;
  std::array<const Option*, kKinds> given_{};
  bool resets_maximum_ = false;
  bool resets_minimum_ = false;
  SequenceOptions result_;
};

/// Gives the sequence the owner that OWNED BY names; null: NONE.
TablePtr bindOwner(BindState& state, const std::vector<std::string>& names, const std::string& sequence_schema,
                   SequenceDefinition& definition) {
  if (names.size() == 1) {
    if (names[0] != "none")
      throw SqlError(sqlstate::kSyntaxError, "invalid OWNED BY option")
          .hint("Specify OWNED BY table.column or OWNED BY NONE.");
    definition.owner = definition.owner_column = 0;
    return nullptr;
  }
  const std::string& name = names[names.size() - 2];
  const std::string schema = names.size() > 2 ? names[names.size() - 3] : std::string();
  const CatalogView& catalog = state.context.catalog;
  const auto refuse = [&](std::string_view kind) {
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("sequence cannot be owned by relation \"{}\"", name))
        .detail(fmt::format("This operation is not supported for {}.", kind));
  };
  const FoundRelation found = catalog.findRelation(schema, name);
  if (!found) raiseNoRelation(catalog, {schema, name});
  if (found.index) refuse("indexes");
  if (found.system) throwNotSupported("sequences owned by views");
  const TablePtr& table = found.table;
  if (table->sequence) refuse("sequences");
  const auto column = std::ranges::find(table->columns, names.back(), &ColumnEntry::name);
  if (column == table->columns.end())
    throw SqlError(sqlstate::kUndefinedColumn,
                   fmt::format("column \"{}\" of relation \"{}\" does not exist", names.back(), name));
  definition.owner = table->oid;
  definition.owner_column = static_cast<uint32_t>(column - table->columns.begin());
  if (table->schema != sequence_schema)
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState, "sequence must be in same schema as table it is linked to");
  return table;
}

/// As it is; null: there is none, which is said.
AlterSequenceStatement begin(const BindState& state, const ast::RelationName& relation, bool if_exists) {
  AlterSequenceStatement result;
  const ObjectPath written{relation.schema, relation.name};
  TablePtr sequence = findNamedSequence(state.context.catalog, written);
  if (sequence) requireOwner(state.context.catalog, *sequence);
  if (sequence == nullptr) {
    if (!if_exists) raiseNoRelation(state.context.catalog, written);
    result.notices.emplace_back(kSuccess, fmt::format("relation \"{}\" does not exist, skipping", relation.name));
    return result;
  }
  result.change.path = sequence->path();
  result.change.definition = *sequence->sequence;
  result.change.sequence = std::move(sequence);
  return result;
}

}  // namespace

SequenceOptions bindSequenceOptions(const std::vector<ast::SequenceOption>& options, const SequenceDefinition* before,
                                    std::optional<TypeKind> identity_type) {
  return OptionsBinder(options, before, identity_type).bind();
}

std::optional<TypeKind> serialType(const ast::TypeName& name) {
  static constexpr std::pair<std::string_view, TypeKind> kSerials[] = {
      {"serial", TypeKind::Integer}, {"serial4", TypeKind::Integer},      {"bigserial", TypeKind::Bigint},
      {"serial8", TypeKind::Bigint}, {"smallserial", TypeKind::Smallint}, {"serial2", TypeKind::Smallint}};
  if (!name.schema.empty()) return std::nullopt;
  for (const auto& [serial, kind] : kSerials)
    if (serial == name.name) return kind;
  return std::nullopt;
}

ColumnSequence bindIdentity(const ast::IdentityDefinition& identity, Type type) {
  SequenceOptions options = bindSequenceOptions(identity.options, nullptr, type.kind);
  if (options.owned_by) throw SqlError(sqlstate::kSyntaxError, "conflicting or redundant options");
  options.definition.is_identity = true;
  return {.column = 0, .path = std::move(options.path), .definition = options.definition};
}

std::optional<ColumnSequence> bindColumnSequence(const ast::ColumnDefinition& definition, Type type) {
  if (definition.identity) return bindIdentity(*definition.identity, type);
  if (!serialType(definition.type)) return std::nullopt;
  ColumnSequence sequence;
  sequence.definition = bindSequenceOptions({}, nullptr, type.kind).definition;
  return sequence;
}

CreateSequenceStatement bindCreateSequence(BindState& state, const ast::CreateSequence& create) {
  CreateSequenceStatement result;
  result.path = creationPath(state.context.catalog, create.relation, PlacePosition::None);
  result.if_not_exists = create.if_not_exists;
  if (create.if_not_exists && state.context.catalog.isTaken(result.path)) return result;
  const SequenceOptions options = bindSequenceOptions(create.options, nullptr);
  if (!options.path.name.empty() || options.restarts)
    throwNotSupported(options.restarts ? "CREATE SEQUENCE ... RESTART" : "CREATE SEQUENCE ... SEQUENCE NAME");
  result.definition = options.definition;
  if (options.owned_by) result.owner = bindOwner(state, *options.owned_by, result.path.schema, result.definition);
  return result;
}

AlterSequenceStatement bindAlterSequence(BindState& state, const ast::AlterSequence& alter) {
  AlterSequenceStatement result = begin(state, alter.relation, alter.if_exists);
  SequenceChange& change = result.change;
  if (change.sequence == nullptr) return result;
  const SequenceOptions options = bindSequenceOptions(alter.options, &change.definition);
  if (!options.path.name.empty()) throwNotSupported("ALTER SEQUENCE ... SEQUENCE NAME");
  change.definition = options.definition;
  change.has_values = options.has_values;
  change.restarts = options.restarts;
  change.restart = options.restart;
  if (!options.owned_by) return result;
  if (change.definition.is_identity) {
    const std::string& name = change.path.name;
    const TablePtr owner = findTable(state.context.catalog, change.definition.owner);
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot change ownership of identity sequence")
        .detail(fmt::format("Sequence \"{}\" is linked to table \"{}\".", name, owner ? owner->name : ""));
  }
  result.owner = bindOwner(state, *options.owned_by, change.path.schema, change.definition);
  return result;
}

AlterSequenceStatement bindRenameSequence(BindState& state, const ast::Rename& rename) {
  AlterSequenceStatement result = begin(state, rename.relation, rename.if_exists);
  if (result.change.sequence == nullptr) return result;
  result.change.path.name = rename.new_name;
  if (state.context.catalog.find(result.change.path) != nullptr)
    throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", rename.new_name));
  return result;
}

DropSequenceStatement bindDropSequence(const ast::DropSequence& drop) {
  DropSequenceStatement result;
  result.if_exists = drop.if_exists;
  result.is_cascade = drop.is_cascade;
  result.names = writtenPaths(drop.relations);
  return result;
}

}  // namespace gnomon::sql
