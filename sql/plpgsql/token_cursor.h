#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sql/plpgsql/routine.h"
#include "sql/plpgsql/tokens.h"

namespace gnomon::sql::plpgsql {

/// One or more tokens as PL/pgSQL's grammar sees them: names with dots between them are one item, and where variables
/// are looked for, names of variables are datums.
struct Item {
  enum class Class : uint8_t {
    Symbol,  ///< all that is no name: `kind` says which
    Keyword,
    Word,   ///< a name that is nothing else
    Names,  ///< two or three, with dots between them
    Datum,
  };
  Class item_class = Class::Symbol;
  TokenKind kind = TokenKind::End;
  Keyword keyword = Keyword::None;  ///< also of a datum that is called as a keyword is
  uint8_t name_count = 0;           ///< how many of the names spell the datum; behind them are fields
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t first_token = 0;
  uint32_t token_count = 1;
  DatumId datum = kNoDatum;

  [[nodiscard]] bool is(TokenKind wanted) const { return item_class == Class::Symbol && kind == wanted; }
  [[nodiscard]] bool is(Keyword wanted) const { return item_class == Class::Keyword && keyword == wanted; }
  /// A keyword where it is preferred to a variable of the name.
  [[nodiscard]] bool says(Keyword wanted) const {
    return keyword == wanted && (item_class == Class::Keyword || item_class == Class::Datum);
  }
  [[nodiscard]] bool isUnreservedKeyword() const { return item_class == Class::Keyword && !isReserved(keyword); }
  [[nodiscard]] bool isAssignment() const { return is(TokenKind::Equals) || is(TokenKind::ColonEquals); }
};

/// Walks over the tokens of a body.
///
/// Failure: the scanner's errors, when it comes to them.
class TokenCursor {
 public:
  /// Where variables are looked for.
  enum class Lookup : uint8_t {
    Everywhere,
    Nowhere,  ///< in declarations
    Fields,   ///< in SQL: names with dots only, so that fields of records become datums
  };

  explicit TokenCursor(Routine& routine) : routine_(routine), list_(scanTokens(routine.body)) {}

  Item next();
  /// The item that was read last comes once more.
  void back() { is_back_ = true; }
  [[nodiscard]] const Item& last() const { return last_; }
  void setLookup(Lookup lookup) { lookup_ = lookup; }
  [[nodiscard]] Lookup lookup() const { return lookup_; }

  /// The token `ahead` tokens behind the item that was read last, from 0.
  [[nodiscard]] const Token& peek(uint32_t ahead = 0) const { return token(at_ + ahead); }
  [[nodiscard]] const Token& token(uint32_t number) const;
  [[nodiscard]] std::string textOf(const Token& token) const;
  /// The names of an item, with dots between them, as messages say them.
  [[nodiscard]] std::string nameOf(const Item& item) const;
  [[nodiscard]] std::string wordAt(uint32_t number) const { return plpgsql::nameOf(routine_.body, token(number)); }

 private:
  [[nodiscard]] bool isName(const Token& candidate) const;
  [[nodiscard]] bool isAtStatementStart() const;
  void readName(Item& item);
  void resolveWord(Item& item, bool looks_up);
  void resolveNames(Item& item);
  DatumId fieldOf(DatumId record, const std::string& name);

  Routine& routine_;
  const TokenList list_;
  uint32_t at_ = 0;  ///< the next token
  Item last_;
  bool is_back_ = false;
  Lookup lookup_ = Lookup::Everywhere;
};

}  // namespace gnomon::sql::plpgsql
