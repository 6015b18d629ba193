#include "sql/regex/regex_program.h"

#include <algorithm>
#include <utility>

#include "sql/regex/regex_options.h"

namespace gnomon::sql {
namespace {

using Piece = RegexPiece;
using Kind = RegexNode::Kind;
using Preference = RegexPreference;

/// What is known of a part of the expression. "Messy" is what a plain automaton cannot stand for.
struct Traits {
  bool longer = false;
  bool shorter = false;
  bool is_mixed = false;  ///< parts below prefer different things
  bool has_captures = false;
  bool has_back_references = false;

  static Traits of(Preference preference) {
    return {.longer = preference == Preference::Longer, .shorter = preference == Preference::Shorter};
  }
  [[nodiscard]] Traits both(const Traits& other) const {
    return {longer || other.longer, shorter || other.shorter, is_mixed || other.is_mixed,
            has_captures || other.has_captures, has_back_references || other.has_back_references};
  }
  /// What counts for the part around this one.
  [[nodiscard]] Traits seenFromAbove() const {
    return {false, false, is_mixed || (longer && shorter), has_captures, has_back_references};
  }
  /// Of a part made of two: the first that prefers something decides.
  [[nodiscard]] Traits combined(const Traits& other) const {
    Traits result = both(other).seenFromAbove();
    const Traits& deciding = longer || shorter ? *this : other;
    result.longer = deciding.longer;
    result.shorter = deciding.shorter;
    return result;
  }
  void add(const Traits& other) { *this = both(other); }
  [[nodiscard]] bool isMessy() const { return is_mixed || has_captures || has_back_references; }
  [[nodiscard]] bool isMessyFromAbove() const { return seenFromAbove().isMessy(); }
};

/// A piece as a plain automaton repeats it.
struct Repeated {
  const Piece* piece;
  int low;
  int high;
};

/// A node on its way: what its automaton is made of is known, and then emitted.
struct Shape {
  Kind kind = Kind::Plain;
  Traits traits;
  int low = 1;
  int high = 1;
  uint32_t capture = 0;
  uint32_t reference = 0;
  std::vector<Repeated> pieces;             ///< of Plain, in sequence; of Iteration and BackReference, the whole
  const RegexBranches* branches = nullptr;  ///< of Plain, instead of pieces
  std::vector<Shape> children;
};

/// Finds the parts of an expression that are divided on their own.
///
/// Source: what PostgreSQL's server does, whose rules of which part gets which text follow from it (its documentation,
/// "Regular Expression Matching Rules", says them for simple cases).
class ShapeMaker {
 public:
  Shape make(const RegexBranches& branches) { return ofBranches(branches, 0); }

 private:
  static constexpr uint32_t kDepthMax = 2000;

  Shape ofBranches(const RegexBranches& branches, uint32_t depth) {
    if (depth > kDepthMax) throwRegexTooComplex();
    if (branches.branches.size() == 1) return ofBranch(branches.branches[0], 0, depth);
    Shape result;
    result.traits.longer = true;
    for (const std::vector<Piece>& branch : branches.branches) {
      result.children.push_back(ofBranch(branch, 0, depth));
      result.traits.add(result.traits.both(result.children.back().traits).seenFromAbove());
    }
    if (!result.traits.isMessy()) {
      result.children.clear();
      result.branches = &branches;
      return result;
    }
    result.kind = Kind::Alternation;
    return result;
  }

  /// What is plain at the beginning, then the first messy atom, then the rest.
  Shape ofBranch(const std::vector<Piece>& branch, size_t first, uint32_t depth) {
    if (depth > kDepthMax) throwRegexTooComplex();
    Shape prefix;
    for (size_t i = first; i < branch.size(); ++i) {
      const Piece& piece = branch[i];
      if (piece.kind == Piece::Kind::Assertion || piece.kind == Piece::Kind::LookAround) {
        prefix.pieces.push_back({&piece, 1, 1});
        continue;
      }
      if (piece.low == 0 && piece.high == 0) continue;
      Shape atom = ofAtom(piece, depth);
      const Traits together = prefix.traits.both(Traits::of(piece.preference)).both(atom.traits);
      const bool is_simple = piece.number == 0 && !together.isMessyFromAbove();
      if (!is_simple) return aroundMessy(std::move(prefix), std::move(atom), branch, i, depth);
      prefix.traits = together;
      prefix.pieces.push_back({&piece, piece.low, piece.high});
    }
    return prefix;
  }

  Shape ofAtom(const Piece& piece, uint32_t depth) {
    Shape atom;
    if (piece.kind == Piece::Kind::BackReference) {
      atom.kind = Kind::BackReference;
      atom.traits.has_back_references = true;
      atom.reference = piece.number;
      return atom;
    }
    if (piece.kind == Piece::Kind::Characters) {
      atom.pieces.push_back({&piece, 1, 1});
      return atom;
    }
    atom = ofBranches(*piece.inner, depth + 1);
    if (piece.number == 0) return atom;
    if (atom.capture != 0) {
      Shape around;
      around.kind = Kind::Capture;
      around.traits = atom.traits;
      around.children.push_back(std::move(atom));
      atom = std::move(around);
    }
    atom.traits.has_captures = true;
    atom.capture = piece.number;
    return atom;
  }

  Shape aroundMessy(Shape prefix, Shape atom, const std::vector<Piece>& branch, size_t at, uint32_t depth) {
    const Piece& piece = branch[at];
    const Traits atom_traits = Traits::of(piece.preference).combined(atom.traits);
    Shape repeated = withQuantifier(std::move(atom), piece);
    const bool has_prefix = !prefix.pieces.empty();
    if (at + 1 == branch.size()) {
      if (!has_prefix) return repeated;
      Shape result = concatenation(prefix.traits);
      result.traits.add(prefix.traits.combined(repeated.traits));
      result.children.push_back(std::move(prefix));
      result.children.push_back(std::move(repeated));
      return result;
    }
    Shape rest = ofBranch(branch, at + 1, depth + 1);
    Traits behind = atom_traits;
    behind.add(behind.combined(rest.traits));
    Shape result = concatenation(prefix.traits);
    result.traits.add(prefix.traits.combined(behind));
    if (!has_prefix) {
      result.children.push_back(std::move(repeated));
      result.children.push_back(std::move(rest));
      return result;
    }
    Shape tail = concatenation(behind);
    tail.children.push_back(std::move(repeated));
    tail.children.push_back(std::move(rest));
    result.children.push_back(std::move(prefix));
    result.children.push_back(std::move(tail));
    return result;
  }

  static Shape concatenation(const Traits& traits) {
    Shape result;
    result.kind = Kind::Concatenation;
    result.traits = traits;
    return result;
  }

  static Shape withQuantifier(Shape atom, const Piece& piece) {
    const Traits wanted = Traits::of(piece.preference);
    const Traits combined = wanted.combined(atom.traits);
    const std::vector<Repeated> whole{{&piece, piece.low, piece.high}};
    if (piece.kind == Piece::Kind::BackReference) {
      atom.low = piece.low;
      atom.high = piece.high;
      atom.pieces = whole;
      atom.traits.add(combined);
      return atom;
    }
    const bool agrees =
        piece.preference == Preference::None ||
        (!atom.traits.longer && !atom.traits.shorter && !atom.traits.is_mixed) ||
        (wanted.longer == atom.traits.longer && wanted.shorter == atom.traits.shorter && !atom.traits.is_mixed);
    if (piece.low == 1 && piece.high == 1 && agrees) return atom;
    Shape result;
    result.traits = combined;
    result.pieces = whole;
    if (!atom.traits.has_captures && !atom.traits.has_back_references) return result;
    if (piece.low > 0 && !atom.traits.has_back_references) {
      // Only the last repetition's captures are of interest: those before it are plain.
      Shape before;
      before.traits.longer = combined.longer;
      before.traits.shorter = combined.shorter;
      before.pieces.push_back({&piece, piece.low - 1, piece.high == Piece::kUnlimited ? piece.high : piece.high - 1});
      result.kind = Kind::Concatenation;
      result.pieces.clear();
      result.children.push_back(std::move(before));
      result.children.push_back(std::move(atom));
      return result;
    }
    result.kind = Kind::Iteration;
    result.low = piece.low;
    result.high = piece.high;
    result.children.push_back(std::move(atom));
    return result;
  }
};

/// Writes automata, from their ends on.
class Emitter {
 public:
  Emitter(RegexProgram& program, const RegexTree& tree) : program_(program) {
    groups_.resize(tree.group_count + 1);
    collectGroups(tree.root);
  }

  RegexNode node(const Shape& shape, uint32_t next) {
    RegexNode node;
    node.kind = shape.kind;
    node.prefers_shorter = shape.traits.shorter;
    node.has_captures = shape.traits.has_captures || shape.capture != 0;
    node.has_back_references = shape.traits.has_back_references;
    node.low = shape.low;
    node.high = shape.high;
    node.capture = shape.capture;
    node.reference = shape.reference;
    node.fragment.exit = add({RegexInstruction::Kind::Nothing, 0, next});
    node.fragment.entry = content(shape, node, node.fragment.exit);
    for (const RegexNode& child : node.children) {
      node.has_captures |= child.has_captures;
      node.has_back_references |= child.has_back_references;
    }
    return node;
  }

 private:
  static constexpr uint32_t kNowhere = RegexInstruction::kNowhere;
  static constexpr size_t kWorkMax = 2'000'000;

  void collectGroups(const RegexBranches& branches) {
    for (const std::vector<Piece>& branch : branches.branches)
      for (const Piece& piece : branch) {
        if (piece.kind == Piece::Kind::Group && piece.number != 0) groups_[piece.number] = piece.inner.get();
        if (piece.inner) collectGroups(*piece.inner);
      }
  }

  uint32_t add(RegexInstruction instruction) {
    if (program_.instructions.size() >= RegexProgram::kInstructionsMax) throwRegexTooComplex();
    program_.instructions.push_back(instruction);
    return static_cast<uint32_t>(program_.instructions.size() - 1);
  }

  /// The entry of what leads to `next`.
  uint32_t content(const Shape& shape, RegexNode& node, uint32_t next) {
    switch (shape.kind) {
      case Kind::Plain:
        return shape.branches != nullptr ? branches(*shape.branches, next) : sequence(shape.pieces, next);
      case Kind::BackReference:
        return sequence(shape.pieces, next);
      case Kind::Iteration:
        // The child stands beside what repeats it: matches are divided by it.
        node.children.push_back(this->node(shape.children[0], kNowhere));
        return sequence(shape.pieces, next);
      case Kind::Capture:
        node.children.push_back(this->node(shape.children[0], next));
        return node.children[0].fragment.entry;
      case Kind::Concatenation: {
        RegexNode right = this->node(shape.children[1], next);
        node.children.push_back(this->node(shape.children[0], right.fragment.entry));
        node.children.push_back(std::move(right));
        return node.children[0].fragment.entry;
      }
      case Kind::Alternation:
        break;
    }
    uint32_t entry = kNowhere;
    for (const Shape& child : shape.children) node.children.push_back(this->node(child, next));
    for (const RegexNode& child : node.children)
      entry = entry == kNowhere ? child.fragment.entry
                                : add({RegexInstruction::Kind::Split, 0, entry, child.fragment.entry});
    return entry;
  }

  uint32_t sequence(const std::vector<Repeated>& pieces, uint32_t next) {
    for (size_t i = pieces.size(); i-- > 0;) next = repeated(*pieces[i].piece, pieces[i].low, pieces[i].high, next);
    return next;
  }

  uint32_t branches(const RegexBranches& all, uint32_t next) {
    uint32_t entry = kNowhere;
    for (const std::vector<Piece>& branch : all.branches) {
      uint32_t first = next;
      for (size_t i = branch.size(); i-- > 0;) first = repeated(branch[i], branch[i].low, branch[i].high, first);
      entry = entry == kNowhere ? first : add({RegexInstruction::Kind::Split, 0, entry, first});
    }
    return entry;
  }

  uint32_t repeated(const Piece& piece, int low, int high, uint32_t next) {
    uint32_t entry = next;
    if (high == Piece::kUnlimited) {
      entry = add({RegexInstruction::Kind::Split, 0, kNowhere, next});
      const uint32_t body = once(piece, entry);
      program_.instructions[entry].next = body;
    } else {
      for (int i = low; i < high; ++i) {
        const uint32_t body = once(piece, entry);
        if (body == entry) break;
        entry = add({RegexInstruction::Kind::Split, 0, body, next});
      }
    }
    for (int i = 0; i < low; ++i) {
      const uint32_t body = once(piece, entry);
      if (body == entry) break;
      entry = body;
    }
    return entry;
  }

  uint32_t once(const Piece& piece, uint32_t next) {
    if (++work_ > kWorkMax) throwRegexTooComplex();
    switch (piece.kind) {
      case Piece::Kind::Characters:
        return add({RegexInstruction::Kind::Characters, setNumber(piece.set), next});
      case Piece::Kind::Assertion:
        return is_without_constraints_ ? next : assertion(piece.assertion, next);
      case Piece::Kind::LookAround:
        if (is_without_constraints_) return next;
        return add({RegexInstruction::Kind::LookAround, lookAround(piece), next});
      case Piece::Kind::Group:
        return branches(*piece.inner, next);
      case Piece::Kind::BackReference:
        break;
    }
    // What the group matches elsewhere; whether it is the same text is found out when a match is divided.
    const bool was_without = std::exchange(is_without_constraints_, true);
    const uint32_t entry = branches(*groups_[piece.number], next);
    is_without_constraints_ = was_without;
    return entry;
  }

  uint32_t assertion(RegexAssertion which, uint32_t next) {
    if (which == RegexAssertion::LineBegin || which == RegexAssertion::LineEnd) program_.sees_lines = true;
    if (which >= RegexAssertion::WordBegin) program_.sees_words = true;
    return add({RegexInstruction::Kind::Assertion, static_cast<uint32_t>(which), next});
  }

  /// One automaton serves all repetitions.
  uint32_t lookAround(const Piece& piece) {
    if (const auto found = look_around_numbers_.find(&piece); found != look_around_numbers_.end()) return found->second;
    RegexLookAround made{{}, piece.is_behind, piece.is_negated};
    made.fragment.exit = add({RegexInstruction::Kind::Nothing});
    made.fragment.entry = branches(*piece.inner, made.fragment.exit);
    program_.look_arounds.push_back(made);
    const auto number = static_cast<uint32_t>(program_.look_arounds.size() - 1);
    look_around_numbers_.emplace(&piece, number);
    return number;
  }

  uint32_t setNumber(const CodePointSet& set) {
    const auto [found, is_new] = set_numbers_.try_emplace(set, static_cast<uint32_t>(program_.sets.size()));
    if (is_new) program_.sets.push_back(set);
    return found->second;
  }

  RegexProgram& program_;
  std::vector<const RegexBranches*> groups_;
  std::map<CodePointSet, uint32_t> set_numbers_;
  std::map<const Piece*, uint32_t> look_around_numbers_;
  bool is_without_constraints_ = false;
  size_t work_ = 0;
};

}  // namespace

RegexProgram::RegexProgram(const RegexTree& tree)
    : group_count(tree.group_count), has_back_references(tree.has_back_references), is_caseless(tree.is_caseless) {
  const Shape shape = ShapeMaker().make(tree.root);
  root = Emitter(*this, tree).node(shape, RegexInstruction::kNowhere);
  std::vector<CodePointSet> cutting = sets;
  if (sees_lines) cutting.push_back(CodePointSet::of('\n', '\n'));
  if (sees_words) cutting.push_back(*codePointClass("word"));
  classes.emplace(cutting);
}

}  // namespace gnomon::sql
