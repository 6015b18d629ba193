#include <fmt/format.h>

#include <algorithm>

#include "server/call_inputs.h"
#include "server/planner.h"
#include "server/plpgsql/routine_call.h"
#include "sql/bind/routine_body.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/domain_tester.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/identifier.h"
#include "sql/plpgsql/fragment_binder.h"
#include "sql/types/cast.h"
#include "sql/types/record_value.h"
#include "sql/types/text_io.h"

/// Values and rows that go from one place of a routine to another.
namespace gnomon::server {

using namespace sql::plpgsql;

namespace {

/// A record's bytes as something to read it by.
class RecordBytes {
 public:
  explicit RecordBytes(const sql::Value& record)
      : view_(StringValue::refer(record.bytes, StringValue::Storage::Transient)) {}
  const sql::RecordView* operator->() const { return &view_; }

 private:
  sql::RecordView view_;
};

/// Those of a row's fields, with the modifiers that its own type has for them.
std::vector<sql::Type> typesOf(const sql::Value& record, const ValueRow& fields) {
  std::vector<sql::Type> types;
  if (const uint32_t definition = RecordBytes(record)->definition(); definition != 0)
    for (const sql::RecordField& field : sql::recordFields(definition)) types.push_back(field.type);
  else
    for (const sql::Value& value : fields) types.push_back(value.type);
  return types;
}

/// Whether values of one type are held as those of the other are.
bool isHeldAlike(const sql::Type& from, const sql::Type& to) {
  if (from == to) return true;
  if (from.kind == sql::TypeKind::Numeric && to.kind == sql::TypeKind::Numeric) return to.typmod < 0;
  const auto isText = [](const sql::Type& type) {
    return type.kind == sql::TypeKind::Text || type.kind == sql::TypeKind::Varchar;
  };
  return isText(from) && isText(to) && to.typmod < 0;
}

}  // namespace

/// As an assignment makes it: by way of its text where there is no cast.
sql::Value RoutineCall::convert(sql::Value value, sql::Type type, uint32_t domain) {
  const bool is_other_row = value.type.isRecord() && type.isRecord() && type.definition() != 0;
  if (value.is_null) {
    value = sql::Value::null(type);
  } else if (is_other_row && value.type.definition() != type.definition()) {
    value = sql::parseText(type, textValue(value).bytes);
  } else if (!(value.type == type)) {
    const sql::CastContext context = sql::castContext(value.type.kind, type.kind);
    const bool is_cast = context == sql::CastContext::Assignment || context == sql::CastContext::Implicit;
    if (!is_cast && value.type.kind != type.kind) value = textValue(value);
    value = sql::castValue(value, type, !is_cast && value.type.kind != type.kind);
  }
  if (domain != 0) requireDomain(value, domain);
  return value;
}

void RoutineCall::requireDomain(const sql::Value& value, uint32_t domain) {
  if (session_.transaction.catalog().findEntry(sql::domainOid(domain)))
    sql::requiredCatalogSession().domains->require(value, domain);
}

void RoutineCall::setFound(bool is_found) {
  frame_.slot(layout_.slotOf(routine_.found)) = {is_found ? uint64_t{1} : 0, 0, 0, 0};
}

void RoutineCall::setText(DatumId target, const std::string& text) {
  assignScalar(target, sql::Value::fromString(sql::Type::of(sql::TypeKind::Text), text));
}

/// A record that is of a domain, as it would be with another value in the slot: the domain is about the whole row.
void RoutineCall::requireRowDomain(DatumId record, uint32_t slot, const sql::Value& value) {
  const VariableType& type = datum(record).type;
  if (type.domain == 0) return;
  const FrameLayout::Shape& shape = layout_.shape(layout_.declaredShape(record));
  sql::RecordBuilder builder(type.type.definition());
  for (uint32_t i = 0; i < shape.fields.size(); ++i)
    builder.add(shape.first_slot + i == slot ? value : frame_.value(shape.first_slot + i));
  requireDomain(sql::Value::fromString(type.type, builder.finish()), type.domain);
}

/// To a variable, or a field of a record.
void RoutineCall::assignScalar(DatumId target, const sql::Value& value) {
  const Datum& to = datum(target);
  uint32_t slot = 0, domain = to.type.domain;
  if (to.kind == Datum::Kind::Record || to.kind == Datum::Kind::List) return assignRecord(target, value);
  if (to.kind == Datum::Kind::Field) {
    const FrameNames names(layout_, kNoScope, FrameNames::Numbering::Slots, shapeNow());
    slot = names.fieldSlot(to.record, to.name);
    const FrameLayout::Shape& shape = layout_.shape(shapeNow()(to.record));
    domain = shape.fields[slot - shape.first_slot].domain;
  } else {
    slot = layout_.slotOf(target);
  }
  const sql::Value converted = convert(value, layout_.typeOf(slot), domain);
  if (to.kind == Datum::Kind::Field) return setField(to.record, slot, converted);
  if (to.is_not_null && converted.is_null)
    throw SqlError(sqlstate::kNullValueNotAllowed,
                   fmt::format("null value cannot be assigned to variable \"{}\" declared NOT NULL", to.name));
  frame_.set(slot, converted);
}

/// The value is one of the field's type and domain.
void RoutineCall::setField(DatumId record, uint32_t slot, const sql::Value& value) {
  requireRowDomain(record, slot, value);
  frame_.set(slot, value);
  frame_.slot(layout_.slotOf(record)).is_null = 0;
}

void RoutineCall::assignFieldAt(uint32_t slot, const sql::Value& value) {
  for (uint32_t id = 0; id < routine_.datums.size(); ++id) {
    if (routine_.datums[id].kind != Datum::Kind::Record) continue;
    const FrameLayout::ShapeId shape_id = shapeNow()(DatumId{id});
    if (shape_id == FrameLayout::kNoShape) continue;
    const FrameLayout::Shape& shape = layout_.shape(shape_id);
    if (slot < shape.first_slot || slot >= shape.first_slot + shape.fields.size()) continue;
    setField(DatumId{id}, slot, convert(value, layout_.typeOf(slot), shape.fields[slot - shape.first_slot].domain));
  }
}

void RoutineCall::checkFieldCount(size_t given, size_t wanted) {
  const LanguageChecks& checks = compiled_->checks(session_.settings);
  if (given == wanted || (!checks.errors.strict_multi_assignment && !checks.warnings.strict_multi_assignment)) return;
  SqlError error(sqlstate::kDatatypeMismatch, "number of source and target fields in assignment does not match");
  error.detail(fmt::format("strict_multi_assignment check of {} is active.",
                           checks.errors.strict_multi_assignment ? "extra_errors" : "extra_warnings"));
  error.hint("Make sure the query returns the exact list of columns.");
  if (checks.errors.strict_multi_assignment) throw error;
  // One for each field that gets nothing, and one for all that are left.
  for (size_t said = given > wanted ? wanted - 1 : given; said < wanted; ++said)
    session_.notice(error, Severity::Warning);
}

void RoutineCall::assignRow(DatumId target, const ValueRow& row, const std::vector<ResultColumn>& columns) {
  const Datum& to = datum(target);
  if (to.kind == Datum::Kind::List) {
    for (size_t i = 0; i < to.members.size(); ++i)
      assignScalar(to.members[i], i < row.size() ? row[i] : sql::Value::null(sql::Type::of(sql::TypeKind::Text)));
    if (!row.empty()) checkFieldCount(row.size(), to.members.size());
    return;
  }
  if (to.kind != Datum::Kind::Record)
    return assignScalar(target, row.empty() ? sql::Value::null(sql::Type::of(sql::TypeKind::Text)) : row[0]);
  const FrameLayout::ShapeId shape = shapeFor(target, columns);
  const size_t wanted = layout_.shape(shape).fields.size();
  // A record stays as it was.
  const bool is_refused = compiled_->checks(session_.settings).errors.strict_multi_assignment;
  if (is_refused) checkFieldCount(row.size(), wanted);
  assignFields(target, shape, row);
  if (!is_refused) checkFieldCount(row.size(), wanted);
}

void RoutineCall::planDirect(Piece::Direct& direct) {
  const std::vector<ResultColumn>& columns = *direct.columns;
  const Datum& to = datum(direct.target);
  direct.fields.clear();
  direct.shape = FrameLayout::kNoShape;
  direct.is_possible = false;
  const auto takes = [&](uint32_t slot, uint32_t domain, size_t column) {
    direct.fields.push_back({slot, layout_.typeOf(slot).physical() == sql::Physical::String});
    return domain == 0 && isHeldAlike(sql::heldInRecord(columns[column].type), layout_.typeOf(slot));
  };
  const auto isVariable = [&](DatumId id, size_t column) {
    const Datum& variable = datum(id);
    return variable.kind == Datum::Kind::Variable && !variable.is_not_null &&
           takes(layout_.slotOf(id), variable.type.domain, column);
  };
  if (to.kind == Datum::Kind::Variable) {
    direct.is_possible = columns.size() == 1 && isVariable(direct.target, 0);
  } else if (to.kind == Datum::Kind::List) {
    direct.is_possible = to.members.size() == columns.size();
    for (size_t i = 0; direct.is_possible && i < columns.size(); ++i) direct.is_possible = isVariable(to.members[i], i);
  } else if (to.kind == Datum::Kind::Record) {
    direct.shape = shapeFor(direct.target, columns);
    const FrameLayout::Shape& shape = layout_.shape(direct.shape);
    direct.is_possible = shape.fields.size() == columns.size() && to.type.domain == 0;
    for (size_t i = 0; direct.is_possible && i < columns.size(); ++i)
      direct.is_possible = takes(shape.first_slot + static_cast<uint32_t>(i), shape.fields[i].domain, i);
  }
}

const Piece::Direct& RoutineCall::directOf(Piece& piece, DatumId target,
                                           const std::shared_ptr<const std::vector<ResultColumn>>& columns) {
  Piece::Direct& direct = piece.direct;
  if (direct.columns != columns || !(direct.target == target)) {
    direct.columns = columns;
    direct.target = target;
    planDirect(direct);
  }
  return direct;
}

sql::Value RoutineCall::valueOf(sql::Type type, const codegen::ParameterSlot& slot) {
  const sql::Type held = sql::heldInRecord(type);
  return slot.is_null != 0 ? sql::Value::null(held) : sql::fromRegisters(held, slot.lo, slot.hi);
}

void RoutineCall::assignFirst(Piece& piece, DatumId target, std::span<const codegen::ParameterSlot> row,
                              const std::shared_ptr<const std::vector<ResultColumn>>& columns) {
  const Piece::Direct& direct = directOf(piece, target, columns);
  if (!direct.is_possible) {
    ValueRow values;
    for (size_t i = 0; i < row.size(); ++i) values.push_back(valueOf((*columns)[i].type, row[i]));
    return assignRow(target, values, *columns);
  }
  // Calls of the routine in one another have added slots meanwhile.
  frame_.grow();
  for (size_t i = 0; i < row.size(); ++i) {
    const auto& [slot, is_string] = direct.fields[i];
    if (is_string && row[i].is_null == 0)
      frame_.setString(slot, StringValue(row[i].lo, row[i].hi));
    else
      frame_.slot(slot) = row[i];
  }
  if (direct.shape != FrameLayout::kNoShape) frame_.slot(layout_.slotOf(target)) = {direct.shape, 0, 0, 0};
}

void RoutineCall::assignHeld(Piece& piece, DatumId target, std::string_view message,
                             const std::shared_ptr<const std::vector<ResultColumn>>& columns) {
  const Piece::Direct& direct = directOf(piece, target, columns);
  if (!direct.is_possible) return assignRow(target, valueRow(message, *columns), *columns);
  HeldFields fields(message);
  // Calls of the routine in one another have added slots meanwhile.
  frame_.grow();
  for (const auto& [slot, is_string] : direct.fields) {
    const HeldFields::Field field = fields.next();
    if (field.bytes == nullptr) {
      frame_.setNull(slot);
    } else if (is_string) {
      frame_.setString(slot, StringValue::refer({field.bytes, field.length}, StringValue::Storage::Transient));
    } else {
      const sql::RegisterPair words = HeldFields::wordsOf(field);
      frame_.slot(slot) = {words.lo, words.hi, 0, 0};
    }
  }
  if (direct.shape != FrameLayout::kNoShape) frame_.slot(layout_.slotOf(target)) = {direct.shape, 0, 0, 0};
}

FrameLayout::ShapeId RoutineCall::shapeFor(DatumId target, const std::vector<ResultColumn>& columns) {
  if (datum(target).kind != Datum::Kind::Record) return FrameLayout::kNoShape;
  const FrameLayout::ShapeId declared = layout_.declaredShape(target);
  if (declared != FrameLayout::kNoShape) return declared;
  std::vector<sql::RecordField> fields;
  // A literal in a row is of no type; a variable has one.
  const auto typeOf = [](const ResultColumn& column) {
    return column.type.kind == sql::TypeKind::Unknown ? sql::Type::of(sql::TypeKind::Text) : column.type;
  };
  for (const ResultColumn& column : columns) fields.push_back({column.name, typeOf(column)});
  const FrameLayout::ShapeId id = layout_.shapeOf(target, fields);
  frame_.grow();
  return id;
}

void RoutineCall::assignFields(DatumId record, FrameLayout::ShapeId id, const ValueRow& row) {
  const FrameLayout::Shape& shape = layout_.shape(id);
  const auto isAsItIs = [&](size_t i) {
    return i < row.size() && row[i].type == shape.fields[i].type && shape.fields[i].domain == 0;
  };
  std::vector<sql::Value> converted;  // before any is set: what does not fit leaves the record as it was
  for (size_t i = 0; i < shape.fields.size(); ++i) {
    const sql::RecordField& field = shape.fields[i];
    if (!isAsItIs(i))
      converted.push_back(convert(i < row.size() ? row[i] : sql::Value::null(field.type), field.type, field.domain));
  }
  size_t next = 0;
  if (const VariableType& type = datum(record).type; type.domain != 0) {
    sql::RecordBuilder builder(type.type.definition());
    for (size_t i = 0; i < shape.fields.size(); ++i) builder.add(isAsItIs(i) ? row[i] : converted[next++]);
    requireDomain(sql::Value::fromString(type.type, builder.finish()), type.domain);
    next = 0;
  }
  for (size_t i = 0; i < shape.fields.size(); ++i)
    frame_.set(shape.first_slot + static_cast<uint32_t>(i), isAsItIs(i) ? row[i] : converted[next++]);
  frame_.slot(layout_.slotOf(record)) = {id, 0, 0, 0};
}

/// A query gave none: NULLs.
void RoutineCall::assignNoRow(DatumId target, const std::vector<ResultColumn>& columns) {
  if (datum(target).kind == Datum::Kind::List) return assignRow(target, {}, columns);
  ValueRow nulls;
  for (const ResultColumn& column : columns) nulls.push_back(sql::Value::null(column.type));
  if (datum(target).kind != Datum::Kind::Record) return assignRow(target, nulls, columns);
  assignFields(target, shapeFor(target, columns), nulls);
}

sql::Value RoutineCall::textValue(const sql::Value& value) const {
  std::string text;
  const sql::RegisterPair at = sql::toRegisters(value);
  sql::appendText(value.type, at.lo, at.hi, text, byteaOutput(session_.settings));
  return sql::Value::fromString(sql::Type::of(sql::TypeKind::Text), text);
}

ValueRow RoutineCall::fieldsOf(const sql::Value& record, std::vector<ResultColumn>* columns) {
  const RecordBytes view(record);
  ValueRow row;
  const std::vector<std::string> names = view->names();
  for (size_t i = 0; i < view->size(); ++i) {
    const sql::Type type = view->type(i);
    const sql::RegisterPair at = view->isNull(i) ? sql::RegisterPair{} : view->at(i);
    row.push_back(view->isNull(i) ? sql::Value::null(type) : sql::fromRegisters(type, at.lo, at.hi));
    if (columns != nullptr) columns->push_back({.name = i < names.size() ? names[i] : "", .type = type});
  }
  return row;
}

/// A value that is a row, to a record or a list.
void RoutineCall::assignRecord(DatumId target, const sql::Value& value) {
  if (value.is_null && datum(target).is_not_null)
    throw SqlError(
        sqlstate::kNullValueNotAllowed,
        fmt::format("null value cannot be assigned to variable \"{}\" declared NOT NULL", datum(target).name));
  if (value.is_null && datum(target).kind == Datum::Kind::List) return assignRow(target, {}, {});
  if (value.is_null) {
    const FrameLayout::ShapeId declared = layout_.declaredShape(target);
    if (const VariableType& type = datum(target).type; type.domain != 0)
      requireDomain(sql::Value::null(type.type), type.domain);
    if (declared != FrameLayout::kNoShape)
      for (uint32_t i = 0; i < layout_.shape(declared).fields.size(); ++i)
        frame_.setNull(layout_.shape(declared).first_slot + i);
    frame_.slot(layout_.slotOf(target)) = {declared, 0, 1, 0};
    return;
  }
  std::vector<ResultColumn> columns;
  if (value.type.isRecord()) {
    const ValueRow row = fieldsOf(value, &columns);
    return assignRow(target, row, columns);
  }
  if (datum(target).kind == Datum::Kind::List)
    throw SqlError(sqlstate::kDatatypeMismatch, "cannot assign non-composite value to a row variable");
  // By way of its text, as other values are.
  const ValueRow row = fieldsOf(sql::parseText(datum(target).type.type, textValue(value).bytes), &columns);
  assignRow(target, row, columns);
}

/// A record as one value.
sql::Value RoutineCall::rowOf(DatumId record) {
  const Datum& of = datum(record);
  const FrameLayout::ShapeId id = shapeNow()(record);
  const sql::Type type = of.type.type;
  const codegen::ParameterSlot& state = frame_.slot(layout_.slotOf(record));
  if (id == FrameLayout::kNoShape || state.is_null != 0) return sql::Value::null(type);
  const FrameLayout::Shape& shape = layout_.shape(id);
  std::string names;
  if (type.definition() == 0)
    for (const sql::RecordField& field : shape.fields) names.append(field.name).push_back('\0');
  sql::RecordBuilder builder(type.definition(), names);
  for (uint32_t i = 0; i < shape.fields.size(); ++i) builder.add(frame_.value(shape.first_slot + i));
  return sql::Value::fromString(type, builder.finish());
}

void RoutineCall::assign(Frame& /*frame*/, const Assignment& assignment) {
  const Datum& written = datum(assignment.target);
  if (written.kind == Datum::Kind::Field) {
    try {
      static_cast<void>(FrameNames(layout_, kNoScope, FrameNames::Numbering::Slots, shapeNow())
                            .fieldSlot(written.record, written.name));
    } catch (SqlError& error) {
      // PostgreSQL finds it when it plans the assignment; behind that the type may become another one.
      if (!compiled_->mayHaveRun(assignment.value)) error.addContext(shownOf(assignment.value).context_line);
      throw;
    }
  }
  if (assignment.indirection.length == 0) return assignScalar(assignment.target, valueOf(assignment.value));
  const StatementSource none{.text = std::make_shared<const std::string>(), .parsed = {}, .parameter_types = {}};
  FragmentBinder binder(layout_, Planner(session_).bindContext(none, {.unlimited_numerics = true}));
  const auto bound = binder.bindElement(assignment, shapeNow(), true);
  if (!bound) throwNotSupported("assignment to a part of a part of a value");
  std::vector<sql::Value> values;
  for (uint32_t slot = 0; slot < layout_.slotCount(); ++slot) values.push_back(frame_.value(slot));
  const sql::Value made = evaluateWith(session_, *bound->value, values);
  const Datum& to = datum(assignment.target);
  if (to.kind != Datum::Kind::Field) return frame_.set(layout_.slotOf(assignment.target), made);
  const FrameNames names(layout_, kNoScope, FrameNames::Numbering::Slots, shapeNow());
  setField(to.record, names.fieldSlot(to.record, to.name), made);
}

namespace {

bool isWithoutVariables(const sql::Expression& expression) {
  using Kind = sql::Expression::Kind;
  if (expression.kind == Kind::Parameter || expression.kind == Kind::Column) return false;
  if (expression.kind == Kind::ArrayCall && expression.function == sql::kCallRoutine) return false;
  return std::ranges::all_of(expression.children,
                             [](const auto& child) { return !child || isWithoutVariables(*child); });
}

/// Whether a part of it has no variables, and has no value: it would have become a constant.
bool hasFailingConstant(const sql::Expression& expression) {
  using Kind = sql::Expression::Kind;
  // Arrays and rows are made when they are needed, also of constants.
  if (isWithoutVariables(expression) && expression.kind != Kind::ArrayCall) return expression.kind != Kind::Constant;
  return std::ranges::any_of(expression.children,
                             [](const auto& child) { return child && hasFailingConstant(*child); });
}

}  // namespace

std::optional<std::string> RoutineCall::plannedLine() {
  const StatementSource none{.text = std::make_shared<const std::string>(), .parsed = {}, .parameter_types = {}};
  FragmentBinder binder(layout_, Planner(session_).bindContext(none, {.unlimited_numerics = true}));
  const auto fails = [](const std::optional<FragmentBinder::Bound>& bound) {
    return bound && hasFailingConstant(*bound->value);
  };
  const auto failsAlone = [&](const Fragment& fragment) {
    return fails(binder.bind(fragment, {sql::Type::of(sql::TypeKind::Unknown)}, shapeNow()));
  };
  if (frame_.place.phase != nullptr) {
    if (!std::string_view(frame_.place.phase).starts_with("during statement block")) return std::nullopt;
    for (const Datum& each : routine_.datums)
      if (each.initial && failsAlone(*each.initial)) return shownOf(*each.initial).context_line;
    return std::nullopt;
  }
  if (frame_.place.statement == nullptr) return std::nullopt;
  const auto& body = frame_.place.statement->body;
  if (const auto* const assignment = std::get_if<Assignment>(&body)) {
    const bool is_part = assignment->indirection.length != 0;
    const bool is_variable = datum(assignment->target).kind == Datum::Kind::Variable;
    const bool is_failing =
        is_part ? fails(binder.bindElement(*assignment, shapeNow()))
        : is_variable
            ? fails(binder.bind(assignment->value, {layout_.typeOf(layout_.slotOf(assignment->target))}, shapeNow()))
            : failsAlone(assignment->value);
    if (is_failing) return shownOf(assignment->value).context_line;
  } else if (const auto* const result = std::get_if<Return>(&body)) {
    if (result->value && failsAlone(*result->value)) return shownOf(*result->value).context_line;
  } else if (const auto* const choice = std::get_if<If>(&body)) {
    for (const Branch& branch : choice->branches)
      if (failsAlone(branch.condition)) return shownOf(branch.condition).context_line;
  }
  return std::nullopt;
}

void RoutineCall::initialise(Frame& /*frame*/, DatumId id) {
  const Datum& record = datum(id);
  const sql::Value value = record.initial ? valueOf(*record.initial) : sql::Value::null(record.type.type);
  if (!value.is_null && !value.type.isRecord())
    throw SqlError(sqlstate::kDatatypeMismatch, "cannot assign non-composite value to a record variable");
  assignRecord(id, value);
}

/// As rows that the routine returns.
void RoutineCall::addRows(PieceResult& result) {
  std::vector<sql::Type> types;
  for (const ResultColumn& column : *result.columns) types.push_back(column.type);
  requireListed();
  requireStructure(types, "structure of query does not match function result type");
  const std::vector<sql::RoutineColumn> expected = sql::routineColumns(*compiled_->entry()->routine);
  for (ValueRow& row : result.rows) {
    requireDomains(row, expected);
    rows_.push_back(std::move(row));
  }
}

/// Columns of queries and fields of rows of no type are of the types below domains: their values may be none of those.
void RoutineCall::requireDomains(const ValueRow& row, std::span<const sql::RoutineColumn> expected) {
  for (size_t i = 0; i < expected.size() && i < row.size(); ++i)
    if (expected[i].domain != 0) requireDomain(row[i], expected[i].domain);
}

/// Rows of no type are for a statement that lists their columns. Failure: 0A000.
void RoutineCall::requireListed() const {
  const bool has_list = listed_ != nullptr && !listed_->empty();
  if (!has_list && sql::routineColumns(*compiled_->entry()->routine).empty())
    throw SqlError(sqlstate::kFeatureNotSupported, "materialize mode required, but it is not allowed in this context");
}

/// Those that the routine returns, or that the statement lists for it.
std::vector<sql::RoutineColumn> RoutineCall::expectedColumns() const {
  std::vector<sql::RoutineColumn> expected = sql::routineColumns(*compiled_->entry()->routine);
  if (listed_ != nullptr)
    for (const sql::Type type : *listed_) expected.push_back({"", type});
  return expected;
}

/// Whether a row of these types is one that the routine returns. Failure: 42804.
void RoutineCall::requireStructure(std::span<const sql::Type> types, const char* message) const {
  const std::vector<sql::RoutineColumn> expected = expectedColumns();
  if (expected.empty()) return;
  const auto refuse = [&](std::string detail) {
    throw SqlError(sqlstate::kDatatypeMismatch, message).detail(std::move(detail));
  };
  const auto fits = [](sql::Type given, sql::Type wanted) {
    return given.isSameAs(wanted) && (wanted.modifier() < 0 || wanted.modifier() == given.modifier());
  };
  for (size_t i = 0; i < std::min(types.size(), expected.size()); ++i)
    if (!fits(types[i], expected[i].type))
      refuse(fmt::format("Returned type {} does not match expected type {} in column {}.", types[i].name(),
                         sql::shownName(expected[i].type, expected[i].domain), i + 1));
  if (types.size() != expected.size())
    refuse(fmt::format("Number of returned columns ({}) does not match expected column count ({}).", types.size(),
                       expected.size()));
}

void RoutineCall::setResult(Frame& /*frame*/, const Return& statement) {
  sql::Value value;
  if (statement.value)
    value = valueOf(*statement.value);
  else if (datum(statement.variable).kind == Datum::Kind::Record)
    value = rowOf(statement.variable);
  else if (datum(statement.variable).kind == Datum::Kind::Variable)
    value = frame_.value(layout_.slotOf(statement.variable));
  rows_.clear();
  if (trigger_ != nullptr) return setReturnedRow(value);
  if (compiled_->result().value) {
    frame_.set(compiled_->result().slot,
               convert(value, compiled_->result().value->type, compiled_->result().value->domain));
    return;
  }
  if (value.is_null) return;
  if (!value.type.isRecord())
    throw SqlError(sqlstate::kDatatypeMismatch,
                   "cannot return non-composite value from function returning composite type");
  ValueRow row = fieldsOf(value, nullptr);
  frame_.place.phase = "while casting return value to function's return type";
  frame_.place.phase_line = 0;
  requireStructure(typesOf(value, row), "returned record type does not match expected record type");
  const sql::RoutineEntry& routine = *compiled_->entry()->routine;
  if (value.type.definition() == 0) requireDomains(row, sql::routineColumns(routine));
  if (routine.result_domain != 0) convert(value, routine.result, routine.result_domain);
  frame_.place.phase = nullptr;
  rows_.push_back(std::move(row));
}

void RoutineCall::addResult(Frame& /*frame*/, const ReturnNext& statement, const codegen::ParameterSlot* value) {
  if (value != nullptr) {
    const sql::Type type = compiled_->result().value->type;
    rows_.push_back({value->is_null != 0 ? sql::Value::null(type) : sql::fromRegisters(type, value->lo, value->hi)});
    return;
  }
  requireListed();
  if (routine_.output != kNoDatum && !statement.value) {
    rows_.push_back(outputs());
    return;
  }
  if (!statement.value && shapeNow()(statement.variable) == FrameLayout::kNoShape)
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                   fmt::format("record \"{}\" is not assigned yet", datum(statement.variable).name))
        .detail("The tuple structure of a not-yet-assigned record is indeterminate.");
  const sql::Value row = statement.value ? valueOf(*statement.value) : rowOf(statement.variable);
  if (row.is_null) {
    // A row of NULLs.
    ValueRow& nulls = rows_.emplace_back();
    for (const sql::RoutineColumn& column : expectedColumns()) nulls.push_back(sql::Value::null(column.type));
    return;
  }
  if (!row.type.isRecord())
    throw SqlError(sqlstate::kDatatypeMismatch,
                   "cannot return non-composite value from function returning composite type");
  ValueRow fields = fieldsOf(row, nullptr);
  requireStructure(typesOf(row, fields), statement.value ? "returned record type does not match expected record type"
                                                         : "wrong record type supplied in RETURN NEXT");
  if (row.type.definition() == 0) requireDomains(fields, sql::routineColumns(*compiled_->entry()->routine));
  rows_.push_back(std::move(fields));
}

}  // namespace gnomon::server
