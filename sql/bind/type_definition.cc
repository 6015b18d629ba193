#include "sql/bind/type_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/creation_path.h"
#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_reference.h"
#include "sql/bind/table_definition.h"
#include "sql/bind/type_name.h"
#include "sql/catalog/access.h"
#include "sql/catalog/constraint_name.h"
#include "sql/catalog/dependent_types.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/stored_mentions.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/identifier.h"
#include "sql/types/collation.h"
#include "sql/types/object_id.h"

namespace gnomon::sql {
namespace {

using Form = TypeEntry::Form;
using Label = TypeEntry::Label;

constexpr SqlState kSuccess("00000");

std::string qualified(const ast::RelationName& name) {
  return name.schema.empty() ? name.name : name.schema + "." + name.name;
}

/// The type of that name. Failure: 42704, 3F000.
TablePtr findType(BindState& state, const ast::RelationName& name) {
  const CatalogView& catalog = state.context.catalog;
  if (TablePtr entry = catalog.findType(name.schema, name.name)) {
    if (entry->type) requireOwner(catalog, *entry);
    return entry;
  }
  if (!name.schema.empty() && !catalog.findSchema(catalog.searchPath().actual(name.schema)))
    throw SqlError(sqlstate::kInvalidSchemaName, fmt::format("schema \"{}\" does not exist", name.schema));
  throw SqlError(sqlstate::kUndefinedObject, fmt::format("type \"{}\" does not exist", qualified(name)));
}

bool isOfForm(const TableEntry& entry, Form form) {
  return entry.type && entry.type->form == form;
}

DefineTypeStatement changed(const TablePtr& before) {
  DefineTypeStatement result;
  result.before = before;
  result.path = before->path();
  result.type = *before->type;
  result.columns = before->columns;
  result.checks = before->checks;
  return result;
}

/// Types that the columns are of.
void noteUsed(DefineTypeStatement& statement) {
  const auto add = [&](uint32_t oid) {
    if (oid == 0 || (statement.before && oid == statement.before->oid)) return;
    TablePtr entry = findTypeEntry(oid);
    if (entry && std::ranges::find(statement.used, entry) == statement.used.end())
      statement.used.push_back(std::move(entry));
  };
  add(statement.type.base_domain);
  for (const ColumnEntry& column : statement.columns) {
    add(column.domain);
    if (column.type.isDefined()) add(column.type.definition());
  }
}

void requireLabel(const std::string& label) {
  if (label.size() > kNameBytesMax)
    throw SqlError(sqlstate::kInvalidName, fmt::format("invalid enum label \"{}\"", label))
        .detail("Labels must be 63 bytes or less.");
}

auto findLabel(std::vector<Label>& labels, const std::string& name) {
  return std::ranges::find(labels, name, &Label::name);
}

[[noreturn]] void throwNoLabel(const std::string& name) {
  throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("\"{}\" is not an existing enum label", name));
}

/// A label before `place`, in the middle between its neighbours.
void insertLabel(std::vector<Label>& labels, size_t place, const std::string& name) {
  Label label{name, 0, 0, 0};
  if (labels.empty()) {
    label.key = Label::kKeyDistance;
    label.sort_order = 1;
  } else if (place == labels.size()) {
    label.key = labels.back().key + Label::kKeyDistance;
    label.sort_order = labels.back().sort_order + 1;
  } else if (place == 0) {
    label.key = labels.front().key - Label::kKeyDistance;
    label.sort_order = labels.front().sort_order - 1;
  } else {
    const Label& before = labels[place - 1];
    const Label& behind = labels[place];
    label.key = before.key + (behind.key - before.key) / 2;
    label.sort_order = (before.sort_order + behind.sort_order) / 2;
    if (label.key == before.key) throwNotSupported("another label between two between which there have been many");
  }
  labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(place), std::move(label));
}

ColumnEntry bindAttribute(const ast::ColumnDefinition& definition, const std::string& type) {
  return bindColumnDefinition(definition, type);
}

/// The domain's checks with another one, under its name or a chosen one.
void addCheck(BindState& state, DefineTypeStatement& domain, const ast::CheckConstraint& check) {
  const auto isTaken = [&](const std::string& name) {
    return std::ranges::find(domain.checks, name, &CheckEntry::name) != domain.checks.end();
  };
  std::string name = check.name;
  if (!name.empty() && isTaken(name))
    throw SqlError(sqlstate::kDuplicateObject,
                   fmt::format("constraint \"{}\" for domain \"{}\" already exists", name, domain.path.name));
  for (uint32_t attempt = 0; name.empty(); ++attempt) {
    std::string chosen = composedName(domain.path.name, "", attempt == 0 ? "check" : fmt::format("check{}", attempt));
    if (!isTaken(chosen)) name = std::move(chosen);
  }
  std::vector<CheckEntry> others = std::move(domain.checks);
  domain.checks.clear();
  const ObjectPath none;
  bindCheck(state, {none, domain.columns, domain.checks, domain.before.get(), {}}, check);
  CheckEntry bound = std::move(domain.checks.front());
  bound.name = name;
  domain.checks = std::move(others);
  const auto place = std::ranges::upper_bound(domain.checks, name, {}, &CheckEntry::name);
  domain.checks.insert(place, std::move(bound));
}

[[noreturn]] void raiseUsed(const TableEntry& type, const DependentType& user) {
  throw SqlError(sqlstate::kFeatureNotSupported,
                 fmt::format("cannot alter type \"{}\" because column \"{}.{}\" uses it", type.name, user.entry->name,
                             user.entry->columns[user.column].name));
}

/// The domain is in the elements or fields of such values, or `is_inside` and theirs.
bool isWithin(Type type, uint32_t used, const TableEntry& domain, bool is_inside) {
  for (uint32_t oid = used; oid != 0;) {
    is_inside = is_inside || isDomainArray(oid);
    if (domainOid(oid) == domain.oid) return is_inside;
    const TablePtr entry = findTypeEntry(oid);
    oid = entry ? entry->type->base_domain : 0;
  }
  const Type row = type.isArray() ? type.element() : type;
  if (!row.isRecord() || row.definition() == 0) return false;
  return std::ranges::any_of(recordFields(row.definition()), [&](const RecordField& field) {
    return isWithin(field.type, field.domain, domain, true);
  });
}

/// As PostgreSQL, which does not look into arrays and rows for values that a new constraint forbids.
void requireInNoOther(const BindState& state, const TablePtr& domain) {
  for (const TablePtr& entry : state.context.catalog.entries()) {
    if (entry->type || entry->view || entry->routine || entry->sequence) continue;
    for (uint32_t i = 0; i < entry->columns.size(); ++i) {
      const ColumnEntry& column = entry->columns[i];
      if (!column.isDropped() && isWithin(column.type, column.domain, *domain, false))
        raiseUsed(*domain, {entry, i, domain});
    }
  }
}

void testChecks(BindState& state, DefineTypeStatement& domain, const CheckEntry& check) {
  requireInNoOther(state, domain.before);
  domain.tested_checks = checkForms(state, domain.columns, {check});
}

/// Whether a literal of the text has the label in it: alone, or in the text of an array or a row.
bool hasLiteralWith(std::string_view text, const std::string& label) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') {
      at = identifierEnd(text, at) - 1;
    } else if (text[at] == '\'') {
      const size_t begin = at > 0 && (text[at - 1] == 'E' || text[at - 1] == 'e') ? at - 1 : at;
      const size_t end = literalEnd(text, begin);
      if (text.substr(at, end - at).contains(label)) return true;
      at = end - 1;
    }
  }
  return false;
}

/// Whether a stored expression or query may have the label in a literal: its text has it, and is about such values.
bool mayNameLabel(const CatalogView& catalog, const TablePtr& type, const std::string& label) {
  std::string literal;
  for (const char c : label) literal.append(c == '\'' ? 2 : 1, c);
  const std::vector<TablePtr> entries = catalog.entries();
  const std::set<uint32_t> oids = madeOf(entries, *type);
  return std::ranges::any_of(entries, [&](const TablePtr& entry) {
    const bool has_values = oids.contains(entry->oid);
    bool is_named = false;
    forEachEntryText(*entry, [&](const EntryText& stored) {
      if (is_named || !hasLiteralWith(stored.text, literal)) return;
      is_named =
          has_values || std::ranges::any_of(oids, [&](uint32_t oid) { return stored.text.contains(schemaOfOid(oid)); });
    });
    const ViewEntry* const query = entry->query();
    if (query == nullptr || !hasLiteralWith(query->query, literal)) return is_named;
    return has_values ||
           std::ranges::any_of(query->uses, [&](const ViewEntry::Use& use) { return oids.contains(use.table); });
  });
}

}  // namespace

DefineTypeStatement bindCreateType(BindState& state, const ast::CreateType& create) try {
  DefineTypeStatement result;
  result.path = creationPath(state.context.catalog, create.name, PlacePosition::None);
  result.type.form = create.is_enum ? Form::Enum : Form::Composite;
  for (const std::string& label : create.labels) {
    requireLabel(label);
    if (findLabel(result.type.labels, label) != result.type.labels.end())
      throw SqlError(sqlstate::kUniqueViolation,
                     "duplicate key value violates unique constraint \"pg_enum_typid_label_index\"");
    insertLabel(result.type.labels, result.type.labels.size(), label);
  }
  for (const ast::ColumnDefinition& attribute : create.attributes) {
    if (std::ranges::find(result.columns, attribute.name, &ColumnEntry::name) != result.columns.end())
      throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" specified more than once", attribute.name));
    result.columns.push_back(bindAttribute(attribute, result.path.name));
  }
  noteUsed(result);
  return result;
} catch (SqlError& error) {
  throw error.dropPosition();
}

DefineTypeStatement bindCreateDomain(BindState& state, const ast::CreateDomain& create) try {
  DefineTypeStatement result;
  result.path = creationPath(state.context.catalog, create.name, PlacePosition::None);
  result.type.form = Form::Domain;
  const NamedType base = resolveTypeName(create.value.type);
  const bool is_pseudo = base.type.kind == TypeKind::Void || base.type.kind == TypeKind::Trigger ||
                         base.type.kind == TypeKind::Unknown ||
                         (base.type.kind == TypeKind::Record && base.type.definition() == 0);
  if (is_pseudo)
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("\"{}\" is not a valid base type for a domain", create.value.type.name));
  ColumnEntry value;
  value.name = create.value.name;
  value.type = base.type;
  value.not_null = create.value.not_null;
  result.type.base_domain = base.domain;
  if (create.value.default_value) setDefault(state, create.value.default_value, create.value.default_text, value);
  result.columns.push_back(std::move(value));
  for (const ast::CheckConstraint& check : create.checks) addCheck(state, result, check);
  noteUsed(result);
  return result;
} catch (SqlError& error) {
  // As PostgreSQL's: it does not say where.
  throw error.dropPosition();
}

DefineTypeStatement bindAlterEnum(BindState& state, const ast::AlterEnum& alter) {
  const TablePtr before = findType(state, alter.name);
  if (!isOfForm(*before, Form::Enum))
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("{} is not an enum", state.context.catalog.shownName(*before)));
  DefineTypeStatement result = changed(before);
  std::vector<Label>& labels = result.type.labels;
  const bool renames = !alter.new_label.empty();
  const std::string& added = renames ? alter.new_label : alter.label;
  requireLabel(added);
  const auto known = findLabel(labels, alter.label);
  if (renames && known == labels.end()) throwNoLabel(alter.label);
  if (findLabel(labels, added) != labels.end()) {
    if (!alter.if_not_exists)
      throw SqlError(sqlstate::kDuplicateObject, fmt::format("enum label \"{}\" already exists", added));
    result.changes_nothing = true;
    result.notices.emplace_back(sqlstate::kDuplicateObject,
                                fmt::format("enum label \"{}\" already exists, skipping", added));
    return result;
  }
  if (renames) {
    if (mayNameLabel(state.context.catalog, before, alter.label))
      throwNotSupported("renaming a value of an enum that stored expressions or queries may name");
    known->name = added;
    return result;
  }
  size_t place = labels.size();
  if (!alter.neighbour.empty()) {
    const auto neighbour = findLabel(labels, alter.neighbour);
    if (neighbour == labels.end()) throwNoLabel(alter.neighbour);
    place = static_cast<size_t>(neighbour - labels.begin()) + (alter.is_behind ? 1 : 0);
  }
  insertLabel(labels, place, added);
  return result;
}

DefineTypeStatement bindAlterDomain(BindState& state, const ast::AlterDomain& alter) try {
  using Kind = ast::AlterDomain::Kind;
  const TablePtr before = findType(state, alter.name);
  if (!isOfForm(*before, Form::Domain))
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("{} is not a domain", state.context.catalog.shownName(*before)));
  DefineTypeStatement result = changed(before);
  ColumnEntry& value = result.columns.front();
  const auto constraint = std::ranges::find(result.checks, alter.constraint, &CheckEntry::name);
  const auto requireConstraint = [&](std::string_view format) {
    if (constraint == result.checks.end())
      throw SqlError(sqlstate::kUndefinedObject, fmt::format(fmt::runtime(format), alter.constraint, before->name));
  };
  switch (alter.kind) {
    case Kind::SetDefault:
      setDefault(state, alter.default_value, alter.default_text, value);
      break;
    case Kind::DropDefault:
      value.default_text.clear();
      break;
    case Kind::SetNotNull:
      result.changes_nothing = value.not_null;
      result.tests_nulls = !value.not_null;
      if (result.tests_nulls) requireInNoOther(state, before);
      value.not_null = true;
      break;
    case Kind::DropNotNull:
      result.changes_nothing = !value.not_null;
      value.not_null = false;
      break;
    case Kind::AddCheck: {
      const std::vector<CheckEntry> known = result.checks;
      addCheck(state, result, alter.check);
      for (const CheckEntry& check : result.checks)
        if (std::ranges::find(known, check.name, &CheckEntry::name) == known.end() && check.is_valid)
          testChecks(state, result, check);
      break;
    }
    case Kind::DropConstraint:
      if (constraint == result.checks.end() && alter.if_exists) {
        result.changes_nothing = true;
        result.notices.emplace_back(kSuccess, fmt::format("constraint \"{}\" of domain \"{}\" does not exist, skipping",
                                                          alter.constraint, before->name));
        break;
      }
      requireConstraint("constraint \"{}\" of domain \"{}\" does not exist");
      result.checks.erase(constraint);
      break;
    case Kind::ValidateConstraint:
      requireConstraint("constraint \"{}\" of domain \"{}\" does not exist");
      constraint->is_valid = true;
      testChecks(state, result, *constraint);
      break;
    case Kind::RenameConstraint:
      requireConstraint("constraint \"{}\" for domain {} does not exist");
      if (std::ranges::find(result.checks, alter.new_name, &CheckEntry::name) != result.checks.end())
        throw SqlError(sqlstate::kDuplicateObject,
                       fmt::format("constraint \"{}\" for domain {} already exists", alter.new_name, before->name));
      constraint->name = alter.new_name;
      std::ranges::sort(result.checks, {}, &CheckEntry::name);
      break;
  }
  noteUsed(result);
  return result;
} catch (SqlError& error) {
  throw error.dropPosition();
}

DefineTypeStatement bindAlterComposite(BindState& state, const ast::AlterComposite& alter) {
  using Kind = ast::AlterComposite::Kind;
  const TablePtr before = findType(state, alter.name);
  if (!isOfForm(*before, Form::Composite))
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a composite type", before->name));
  DefineTypeStatement result = changed(before);
  for (const ast::AlterComposite::Command& command : alter.commands) {
    const std::string& name = command.attribute.name;
    if (command.kind != Kind::Rename) {
      for (const DependentType& user : dependentTypes(state.context.catalog, {before}))
        if (user.column != DependentType::kWhole) raiseUsed(*before, user);
    }
    const auto found = std::ranges::find(result.columns, name, &ColumnEntry::name);
    const std::string& wanted = command.kind == Kind::Rename ? command.new_name : name;
    const bool adds = command.kind == Kind::Add || command.kind == Kind::Rename;
    if (command.kind != Kind::Add && found == result.columns.end()) {
      if (command.if_exists) {
        result.notices.emplace_back(
            kSuccess, fmt::format("column \"{}\" of relation \"{}\" does not exist, skipping", name, before->name));
        continue;
      }
      throw SqlError(sqlstate::kUndefinedColumn,
                     command.kind == Kind::Rename
                         ? fmt::format("column \"{}\" does not exist", name)
                         : fmt::format("column \"{}\" of relation \"{}\" does not exist", name, before->name));
    }
    if (adds && std::ranges::find(result.columns, wanted, &ColumnEntry::name) != result.columns.end())
      throw SqlError(sqlstate::kDuplicateColumn,
                     fmt::format("column \"{}\" of relation \"{}\" already exists", wanted, before->name));
    switch (command.kind) {
      case Kind::Add:
        result.columns.push_back(bindAttribute(command.attribute, before->name));
        break;
      case Kind::Drop:
        if (mayReadField(state.context.catalog, *before, name))
          throwNotSupported("dropping an attribute that stored expressions or queries may read");
        result.columns.erase(found);
        break;
      case Kind::SetType:
        *found = bindAttribute(command.attribute, before->name);
        break;
      case Kind::Rename:
        if (mayReadField(state.context.catalog, *before, found->name))
          throwNotSupported("renaming an attribute that stored expressions or queries may read");
        found->name = wanted;
        break;
    }
  }
  noteUsed(result);
  return result;
}

DefineTypeStatement bindRenameType(BindState& state, const ast::RenameType& rename) {
  const TablePtr before = findType(state, rename.name);
  if (!before->type)
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("{} is a table's row type", state.context.catalog.shownName(*before)))
        .hint("Use ALTER TABLE instead.");
  if (rename.is_domain && !isOfForm(*before, Form::Domain))
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("{} is not a domain", state.context.catalog.shownName(*before)));
  DefineTypeStatement result = changed(before);
  result.path.name = rename.new_name;
  return result;
}

DomainRules domainRules(BindState& state, uint32_t domain) {
  std::vector<TablePtr> chain;  // from the domain downward
  DomainRules rules;
  for (uint32_t oid = domain; oid != 0; oid = chain.back()->type->base_domain) {
    if (isDomainArray(oid)) {
      rules.of_elements = std::make_shared<const DomainRules>(domainRules(state, domainOid(oid)));
      rules.element = findTypeEntry(oid)->columns.front().type.array().element();
      break;
    }
    chain.push_back(findTypeEntry(oid));
    CHECK(chain.back() != nullptr, "a domain in use stays");
    state.addTable(chain.back());
  }
  if (chain.empty()) return rules;
  rules.name = userTypeName(domain);
  rules.oid = domain;
  std::vector<CheckEntry> checks;
  for (const TablePtr& entry : chain | std::views::reverse) {
    rules.is_not_null = rules.is_not_null || entry->columns.front().not_null;
    for (const CheckEntry& check : entry->checks) checks.push_back(check);
  }
  for (const CheckEntry& check : checks) rules.check_names.push_back(check.name);
  std::vector<ColumnEntry> columns = chain.front()->columns;
  for (ColumnEntry& column : columns) column.type.collation = kDefaultCollation;
  rules.checks = checkForms(state, columns, checks);
  return rules;
}

DropTypeStatement bindDropType(const ast::DropType& drop) {
  DropTypeStatement result;
  result.names = writtenPaths(drop.names);
  result.if_exists = drop.if_exists;
  result.is_cascade = drop.is_cascade;
  result.are_domains = drop.are_domains;
  return result;
}

}  // namespace gnomon::sql
