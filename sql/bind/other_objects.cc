#include "sql/bind/other_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/bind/type_name.h"
#include "sql/catalog/drop_hint.h"
#include "sql/catalog/object_names.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/constant_rows.h"

namespace gnomon::sql {
namespace {

using Kind = ast::DropOther::Kind;
using Object = ast::DropOther::Object;

constexpr SqlState kSuccess("00000");

std::string written(const ast::RelationName& name) {
  return name.schema.empty() ? name.name : name.schema + "." + name.name;
}

/// A type as the grammar has it.
std::string written(const ast::TypeName& type) {
  return (type.schema.empty() ? "" : type.schema + ".") + type.name + (type.is_array ? "[]" : "");
}

/// A row of what the system has holds the values in the columns behind the oid.
bool isAmongFacts(std::string_view relation, std::string_view values) {
  for (std::string_view rest = pg_catalog::findConstantRows(relation)->rows; !rest.empty();) {
    std::string_view row = pg_catalog::cutWord(rest, ';');
    pg_catalog::cutWord(row);
    if (row.starts_with(values) && (row.size() == values.size() || row[values.size()] == ' ')) return true;
  }
  return false;
}

class OtherObjects {
 public:
  OtherObjects(const CatalogView& catalog, const ast::DropOther& drop) : catalog_(catalog), drop_(drop) {}

  ExtensionStatement bind() {
    ExtensionStatement result;
    for (const Object& object : drop_.objects) {
      if (drop_.kind == Kind::OfMethod) accessMethod(object.of);
      if (std::string missing = whatIsMissing(object); !missing.empty())
        result.notices.emplace_back(kSuccess, missing + ", skipping");
    }
    return result;
  }

 private:
  /// Under IF EXISTS. Failure: what is said without.
  std::string whatIsMissing(const Object& object) {
    try {
      requireSchema(object.name.schema);
      std::vector<Type> types;
      for (const ast::TypeName& type : object.types) types.push_back(typeNamed(type));
      refuse(object, types);
    } catch (const SqlError& error) {
      const bool is_missing =
          error.state() == sqlstate::kUndefinedObject || error.state() == sqlstate::kUndefinedFunction ||
          error.state() == sqlstate::kUndefinedTable || error.state() == sqlstate::kInvalidSchemaName;
      if (!drop_.if_exists || !is_missing) throw;
      return skipped_.empty() ? error.message() : std::exchange(skipped_, {});
    }
  }

  /// Its errors have no position here.
  [[nodiscard]] Type typeNamed(const ast::TypeName& name) const {
    try {
      return (drop_.kind == Kind::Aggregate ? resolveRoutineTypeName(name) : resolveTypeName(name)).type;
    } catch (const SqlError& error) {
      throw SqlError(error.state(), error.message());
    }
  }

  void requireSchema(const std::string& schema) const {
    if (!schema.empty() && !catalog_.findSchema(catalog_.searchPath().actual(schema))) raiseNoSchema(schema);
  }

  [[noreturn]] void absent(const std::string& message) const {
    throw SqlError(sqlstate::kUndefinedObject, message + " does not exist");
  }
  /// The same where a notice has other words.
  [[noreturn]] void absent(const std::string& message, const std::string& skipped) {
    skipped_ = skipped + " does not exist";
    absent(message);
  }
  [[noreturn]] void systems() const { throwNotSupported(fmt::format("DROP of the system's {}", drop_.what)); }

  [[noreturn]] void refuse(const Object& object, const std::vector<Type>& types) {
    const std::string& name = object.name.name;
    const std::string named = fmt::format("{} \"{}\"", drop_.what, written(object.name));
    switch (drop_.kind) {
      case Kind::ForeignTable:
        refuseTable(object);
      case Kind::Rule:
      case Kind::Policy:
        refusePart(object);
      case Kind::OfMethod:
        refuseOfMethod(object);
      case Kind::Aggregate:
        refuseAggregate(object, types);
      case Kind::Operator:
        refuseOperator(object, types);
      case Kind::Cast:
        if (isAmongFacts("pg_cast", fmt::format("{} {}", types[0].oid(), types[1].oid()))) systems();
        absent(fmt::format("cast from type {} to type {}", types[0].baseName(), types[1].baseName()),
               fmt::format("cast from type {} to type {}", written(object.types[0]), written(object.types[1])));
      case Kind::Transform:
        refuseTransform(object, types[0]);
      case Kind::Collation:
        refuseCollation(object);
      case Kind::Conversion:
        if (isAmongFacts("pg_conversion", name)) systems();
        absent(named);
      case Kind::TextSearch:
        // The system's are named by languages, or simple, default and so on.
        if (object.name.schema.empty() || object.name.schema == "pg_catalog") requireNoTextSearch(name);
        absent(named);
      case Kind::Named:
        if (hasNamed(name)) systems();
        absent(named);
      case Kind::Statistics:
        absent(named);
    }
    absent(named);
  }

  [[noreturn]] void refuseTable(const Object& object) const {
    const std::string& name = object.name.name;
    if (const FoundRelation found = catalog_.findRelation(object.name.schema, name))
      throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a foreign table", name))
          .hint(dropHint(found));
    absent(fmt::format("foreign table \"{}\"", name));
  }

  [[noreturn]] void refusePart(const Object& object) {
    const ObjectPath path{object.name.schema, object.name.name};
    const FoundRelation found = catalog_.findRelation(path);
    if (!found) raiseNoRelation(catalog_, path);
    const TablePtr table = found.stored();
    if (drop_.kind == Kind::Rule && object.of == "_RETURN" && table && table->query() != nullptr) {
      const std::string view = (table->materialized ? "materialized view " : "view ") + catalog_.shownName(*table);
      throw SqlError(sqlstate::kDependentObjectsStillExist,
                     fmt::format("cannot drop rule _RETURN on {} because {} requires it", view, view))
          .hint(fmt::format("You can drop {} instead.", view));
    }
    const std::string skipped = fmt::format("{} \"{}\" for relation \"{}\"", drop_.what, object.of, path.name);
    if (drop_.kind == Kind::Rule) absent(skipped);
    absent(fmt::format("policy \"{}\" for table \"{}\"", object.of, path.name), skipped);
  }

  /// Its number. Failure: 42704.
  static int accessMethod(const std::string& name) {
    constexpr std::pair<std::string_view, int> kMethods[] = {{"btree", 403}, {"hash", 405},    {"gist", 783},
                                                             {"gin", 2742},  {"spgist", 4000}, {"brin", 3580}};
    for (const auto& [method, number] : kMethods)
      if (method == name) return number;
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("access method \"{}\" does not exist", name));
  }

  [[noreturn]] void refuseOfMethod(const Object& object) {
    const std::string_view relation = drop_.what == "operator class" ? "pg_opclass" : "pg_opfamily";
    const bool is_there = isAmongFacts(relation, fmt::format("{} {}", accessMethod(object.of), object.name.name));
    // Not all of theirs are among the facts.
    if (is_there || (object.of != "btree" && object.of != "hash")) systems();
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("{} \"{}\" does not exist for access method \"{}\"",
                                                           drop_.what, written(object.name), object.of));
  }

  [[noreturn]] void refuseAggregate(const Object& object, const std::vector<Type>& types) {
    const bool is_known = pg_catalog::hasProcedure(object.name.name) ||
                          !catalog_.findRoutines(object.name.schema, object.name.name).empty();
    if (is_known) throwNotSupported("DROP AGGREGATE of a function");
    std::string shown, as_written;
    for (size_t i = 0; i < types.size(); ++i) {
      shown.append(shown.empty() ? "" : ", ").append(types[i].baseName());
      as_written.append(as_written.empty() ? "" : ",").append(written(object.types[i]));
    }
    const std::string name = written(object.name);
    skipped_ = fmt::format("aggregate {}({}) does not exist", name, as_written);
    throw SqlError(sqlstate::kUndefinedFunction,
                   fmt::format("aggregate {}({}) does not exist", name, types.empty() ? "*" : shown));
  }

  [[noreturn]] void refuseOperator(const Object& object, const std::vector<Type>& types) {
    if (std::ranges::find(pg_catalog::operatorFacts(), object.name.name, &pg_catalog::OperatorFacts::name) !=
        pg_catalog::operatorFacts().end())
      systems();
    const std::string name = written(object.name);
    skipped_ = fmt::format("operator {} does not exist", name);
    const std::string left = types.size() == 2 ? types.front().baseName() + " " : "";
    throw SqlError(sqlstate::kUndefinedFunction,
                   fmt::format("operator does not exist: {}{} {}", left, name, types.back().baseName()));
  }

  [[noreturn]] void refuseTransform(const Object& object, Type type) {
    skipped_ = fmt::format("transform for type {} language \"{}\" does not exist", written(object.types[0]), object.of);
    if (!isLanguage(object.of))
      throw SqlError(sqlstate::kUndefinedObject, fmt::format("language \"{}\" does not exist", object.of));
    absent(fmt::format("transform for type {} language \"{}\"", type.baseName(), object.of));
  }

  [[noreturn]] void refuseCollation(const Object& object) {
    const std::string& name = object.name.name;
    if (object.name.schema.empty() || object.name.schema == "pg_catalog") {
      bool is_there = true;
      try {
        findObject(TypeKind::Regcollation, quotedIdentifier(name));
      } catch (const SqlError& error) {
        if (error.state() != sqlstate::kUndefinedObject) throw;
        is_there = false;
      }
      if (is_there) systems();
    }
    absent(fmt::format("collation \"{}\" for encoding \"UTF8\"", written(object.name)),
           fmt::format("collation \"{}\"", written(object.name)));
  }

  void requireNoTextSearch(const std::string& name) const {
    constexpr std::string_view kNames[] = {"default", "ispell", "simple", "snowball", "synonym", "thesaurus"};
    constexpr std::string_view kLanguages[] = {
        "arabic",  "armenian", "basque",     "catalan", "danish",    "dutch",      "english",
        "finnish", "french",   "german",     "greek",   "hindi",     "hungarian",  "indonesian",
        "irish",   "italian",  "lithuanian", "nepali",  "norwegian", "portuguese", "romanian",
        "russian", "serbian",  "spanish",    "swedish", "tamil",     "turkish",    "yiddish"};
    std::string_view language = name;
    if (language.ends_with("_stem")) language.remove_suffix(5);
    if (std::ranges::find(kNames, name) != std::end(kNames) ||
        std::ranges::find(kLanguages, language) != std::end(kLanguages))
      systems();
  }

  [[nodiscard]] static bool isLanguage(const std::string& name) {
    return name == "internal" || name == "c" || name == "sql" || name == "plpgsql";
  }
  [[nodiscard]] bool hasNamed(const std::string& name) const {
    if (drop_.what == "language") return isLanguage(name);
    if (drop_.what != "access method") return false;
    constexpr std::string_view kMethods[] = {"heap", "btree", "hash", "gin", "gist", "spgist", "brin"};
    return std::ranges::find(kMethods, name) != std::end(kMethods);
  }

  const CatalogView& catalog_;
  const ast::DropOther& drop_;
  std::string skipped_;  ///< what is said under IF EXISTS, where that is not the error's words
};

}  // namespace

ExtensionStatement bindDropOther(const BindState& state, const ast::DropOther& drop) {
  return OtherObjects(state.context.catalog, drop).bind();
}

}  // namespace gnomon::sql
