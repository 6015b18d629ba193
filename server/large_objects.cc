#include "server/large_objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "server/large_object_files.h"
#include "server/session_context.h"
#include "sql/catalog/access.h"
#include "sql/catalog/roles.h"
#include "sql/functions/hosted_functions.h"

namespace gnomon::server {
namespace {

constexpr int64_t kInvWrite = 0x20000, kInvRead = 0x40000;
constexpr int64_t kSeekSet = 0, kSeekCurrent = 1, kSeekEnd = 2;
/// PostgreSQL's limit of one value.
constexpr int64_t kValueBytesMax = 0x3fffffff - 4;

[[noreturn]] void raiseMissing(uint32_t oid) {
  throw SqlError(sqlstate::kUndefinedObject, fmt::format("large object {} does not exist", oid));
}

[[noreturn]] void raiseInvalid(std::string text) {
  throw SqlError(sqlstate::kInvalidParameterValue, std::move(text));
}

sql::Acl aclOf(const LargeObject& object) {
  return sql::aclOf(sql::Securable::LargeObject, object.owner, object.acl);
}

int64_t requireSmall(int64_t number, std::string_view function, int64_t descriptor) {
  if (number > INT32_MAX)
    throw SqlError(sqlstate::kNumericValueOutOfRange,
                   fmt::format("{} result out of range for large-object descriptor {}", function, descriptor));
  return number;
}

}  // namespace

LargeObjects::LargeObjects(SessionContext& session) : session_(session), store_(session) {}

LargeObjects::Function LargeObjects::functionOf(uint32_t oid) {
  switch (oid) {
    case sql::kLargeObjectComment:
      return &LargeObjects::commentOf;
    case 715:
      return &LargeObjects::createNamed;
    case 764:
    case 767:
      return &LargeObjects::importFile;
    case 765:
      return &LargeObjects::exportFile;
    case 952:
      return &LargeObjects::open;
    case 953:
      return &LargeObjects::close;
    case 954:
      return &LargeObjects::read;
    case 955:
      return &LargeObjects::write;
    case 956:
      return &LargeObjects::seek;
    case 957:
      return &LargeObjects::createAny;
    case 958:
      return &LargeObjects::tell;
    case 964:
      return &LargeObjects::unlink;
    case 1004:
    case 3172:
      return &LargeObjects::truncate;
    case 3170:
      return &LargeObjects::seekFar;
    case 3171:
      return &LargeObjects::tellFar;
    case 3457:
      return &LargeObjects::createFrom;
    case 3458:
      return &LargeObjects::get;
    case 3459:
      return &LargeObjects::getPart;
    case 3460:
      return &LargeObjects::put;
    default:
      throw SqlError(sqlstate::kUndefinedFunction, fmt::format("function with OID {} does not exist", oid));
  }
}

sql::Value LargeObjects::call(uint32_t function, std::span<const sql::Value> arguments, sql::Type result) {
  if (std::ranges::any_of(arguments, &sql::Value::is_null)) return sql::Value::null(result);
  return (this->*functionOf(function))({arguments, result});
}

void LargeObjects::requireMayWrite(std::string_view function) const {
  session_.transaction.requireMayWrite(function);
}

bool LargeObjects::isCompatible() const {
  return session_.settings.flag(SettingId::LoCompatPrivileges);
}

LargeObject LargeObjects::require(uint32_t oid, const txn::Snapshot* seen) {
  std::optional<LargeObject> object = store_.find(oid, seen);
  if (!object) raiseMissing(oid);
  return std::move(*object);
}

void LargeObjects::requireRight(uint32_t oid, sql::Privilege right, const txn::Snapshot* seen) {
  const LargeObject object = require(oid, seen);
  const sql::CatalogTransaction& catalog = session_.transaction.catalog();
  const uint32_t role = catalog.actors().current;
  if (isCompatible() || isSuperuser(catalog, role)) return;
  if (sql::rightsIn(catalog, role, aclOf(object), right) != right)
    throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied for large object {}", oid));
}

void LargeObjects::requireOwner(uint32_t oid, const LargeObject& object) const {
  const sql::CatalogTransaction& catalog = session_.transaction.catalog();
  if (!hasRightsOf(catalog, catalog.actors().current, object.owner))
    throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("must be owner of large object {}", oid));
}

LargeObjects::Descriptor& LargeObjects::descriptorOf(int64_t descriptor) {
  const bool is_there = descriptor >= 0 && descriptor < static_cast<int64_t>(descriptors_.size()) &&
                        descriptors_[static_cast<size_t>(descriptor)];
  if (!is_there)
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("invalid large-object descriptor: {}", descriptor));
  return *descriptors_[static_cast<size_t>(descriptor)];
}

LargeObjects::Descriptor& LargeObjects::writableOf(int64_t descriptor) {
  Descriptor& found = descriptorOf(descriptor);
  if (!found.is_writable)
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                   fmt::format("large object descriptor {} was not opened for writing", descriptor));
  return found;
}

void LargeObjects::closeAfter(uint64_t opened_count) noexcept {
  for (std::optional<Descriptor>& each : descriptors_)
    if (each && each->number > opened_count) each.reset();
}

/// `oid`: 0: any that is free.
uint32_t LargeObjects::create(uint32_t oid) {
  while (oid == 0) {
    oid = session_.transaction.database()->newOid();
    if (store_.find(oid, nullptr)) oid = 0;
  }
  store_.add(oid, session_.transaction.catalog().actors().current);
  return oid;
}

sql::Value LargeObjects::commentOf(const Call& call) {
  const std::optional<LargeObject> object = store_.find(call.oid(0), session_.services.seen());
  return object && !object->comment.empty() ? call.answer(object->comment) : sql::Value::null(call.result);
}

sql::Value LargeObjects::createAny(const Call& call) {
  requireMayWrite("lo_creat()");
  return call.answer(create(0));
}

sql::Value LargeObjects::createNamed(const Call& call) {
  requireMayWrite("lo_create()");
  return call.answer(create(call.oid(0)));
}

sql::Value LargeObjects::createFrom(const Call& call) {
  requireMayWrite("lo_from_bytea()");
  const uint32_t oid = create(call.oid(0));
  store_.write(oid, 0, call.bytes(1));
  return call.answer(oid);
}

sql::Value LargeObjects::unlink(const Call& call) {
  requireMayWrite("lo_unlink()");
  const uint32_t oid = call.oid(0);
  const LargeObject object = require(oid, nullptr);
  if (!isCompatible()) requireOwner(oid, object);
  for (std::optional<Descriptor>& each : descriptors_)
    if (each && each->oid == oid) each.reset();
  if (!store_.remove(oid)) raiseMissing(oid);
  return call.answer(1);
}

sql::Value LargeObjects::open(const Call& call) {
  const int64_t flags = call.number(1);
  const bool reads = (flags & kInvRead) != 0, writes = (flags & kInvWrite) != 0;
  if (writes) requireMayWrite("lo_open(INV_WRITE)");
  if (!reads && !writes) raiseInvalid(fmt::format("invalid flags for opening a large object: {}", flags));
  Descriptor descriptor{.oid = call.oid(0), .is_writable = writes, .offset = 0, .seen = {}, .guard = {}};
  const txn::Snapshot* const seen = session_.services.seen();
  if (!writes && seen != nullptr) {
    // What the statement sees of its own transaction, and of the others what is committed: nothing of that is
    // collected while the descriptor is open.
    txn::Snapshot now = session_.transaction.takeSnapshot(descriptor.guard);
    now.own = seen->own;
    now.command = seen->command;
    descriptor.seen = now;
  }
  if (reads || writes) requireRight(descriptor.oid, sql::Privilege::Select, descriptor.snapshot());
  if (writes) requireRight(descriptor.oid, sql::Privilege::Update, nullptr);
  descriptor.number = ++opened_count_;
  const auto free = std::ranges::find_if(descriptors_, [](const auto& each) { return !each; });
  const auto number = free - descriptors_.begin();
  if (free == descriptors_.end())
    descriptors_.push_back(std::move(descriptor));
  else
    free->emplace(std::move(descriptor));
  return call.answer(number);
}

sql::Value LargeObjects::close(const Call& call) {
  descriptorOf(call.number(0));
  descriptors_[static_cast<size_t>(call.number(0))].reset();
  return call.answer(0);
}

sql::Value LargeObjects::read(const Call& call) {
  Descriptor& descriptor = descriptorOf(call.number(0));
  const std::string bytes =
      store_.read(descriptor.oid, descriptor.offset, std::max<int64_t>(call.number(1), 0), descriptor.snapshot());
  descriptor.offset += static_cast<int64_t>(bytes.size());
  return call.answer(bytes);
}

sql::Value LargeObjects::write(const Call& call) {
  requireMayWrite("lowrite()");
  Descriptor& descriptor = writableOf(call.number(0));
  const std::string& bytes = call.bytes(1);
  const auto count = static_cast<int64_t>(bytes.size());
  if (count + descriptor.offset > LargeObjectStore::kBytesMax)
    raiseInvalid(fmt::format("invalid large object write request size: {}", count));
  store_.write(descriptor.oid, descriptor.offset, bytes);
  descriptor.offset += count;
  return call.answer(count);
}

void LargeObjects::move(Descriptor& descriptor, int64_t offset, int64_t whence) {
  // Sums that leave 64 bits are out of range, too.
  int64_t target = 0, base = 0;
  if (whence == kSeekCurrent)
    base = descriptor.offset;
  else if (whence == kSeekEnd)
    base = store_.size(descriptor.oid, descriptor.snapshot());
  else if (whence != kSeekSet)
    raiseInvalid(fmt::format("invalid whence setting: {}", whence));
  const bool overflows = __builtin_add_overflow(base, offset, &target);
  if (overflows || target < 0 || target > LargeObjectStore::kBytesMax)
    raiseInvalid(fmt::format("invalid large object seek target: {}", target));
  descriptor.offset = target;
}

sql::Value LargeObjects::seek(const Call& call) {
  Descriptor& descriptor = descriptorOf(call.number(0));
  move(descriptor, call.number(1), call.number(2));
  return call.answer(requireSmall(descriptor.offset, "lo_lseek", call.number(0)));
}

sql::Value LargeObjects::seekFar(const Call& call) {
  Descriptor& descriptor = descriptorOf(call.number(0));
  move(descriptor, call.number(1), call.number(2));
  return call.answer(descriptor.offset);
}

sql::Value LargeObjects::tell(const Call& call) {
  return call.answer(requireSmall(descriptorOf(call.number(0)).offset, "lo_tell", call.number(0)));
}

sql::Value LargeObjects::tellFar(const Call& call) {
  return call.answer(descriptorOf(call.number(0)).offset);
}

sql::Value LargeObjects::truncate(const Call& call) {
  requireMayWrite("lo_truncate()");
  const Descriptor& descriptor = writableOf(call.number(0));
  const int64_t length = call.number(1);
  if (length < 0 || length > LargeObjectStore::kBytesMax)
    raiseInvalid(fmt::format("invalid large object truncation target: {}", length));
  store_.truncate(descriptor.oid, length);
  return call.answer(0);
}

sql::Value LargeObjects::get(const Call& call) {
  const txn::Snapshot* const seen = session_.services.seen();
  requireRight(call.oid(0), sql::Privilege::Select, seen);
  if (store_.size(call.oid(0), seen) > kValueBytesMax)
    throw SqlError(sqlstate::kProgramLimitExceeded, "large object read request is too large");
  return call.answer(store_.read(call.oid(0), 0, LargeObjectStore::kBytesMax, seen));
}

sql::Value LargeObjects::getPart(const Call& call) {
  const int64_t offset = call.number(1), count = call.number(2);
  if (count < 0) raiseInvalid("requested length cannot be negative");
  const txn::Snapshot* const seen = session_.services.seen();
  requireRight(call.oid(0), sql::Privilege::Select, seen);
  const int64_t size = store_.size(call.oid(0), seen);
  const int64_t left = offset < 0 ? count : size - offset;
  if (std::min(count, left) > kValueBytesMax)
    throw SqlError(sqlstate::kProgramLimitExceeded, "large object read request is too large");
  if (offset < 0 || offset > LargeObjectStore::kBytesMax)
    raiseInvalid(fmt::format("invalid large object seek target: {}", offset));
  return call.answer(store_.read(call.oid(0), offset, count, seen));
}

sql::Value LargeObjects::put(const Call& call) {
  requireMayWrite("lo_put()");
  const uint32_t oid = call.oid(0);
  const int64_t offset = call.number(1);
  requireRight(oid, sql::Privilege::Select, nullptr);
  requireRight(oid, sql::Privilege::Update, nullptr);
  if (offset < 0 || offset > LargeObjectStore::kBytesMax)
    raiseInvalid(fmt::format("invalid large object seek target: {}", offset));
  const std::string& bytes = call.bytes(2);
  if (static_cast<int64_t>(bytes.size()) + offset > LargeObjectStore::kBytesMax)
    raiseInvalid(fmt::format("invalid large object write request size: {}", bytes.size()));
  store_.write(oid, offset, bytes);
  return call.answer("");
}

namespace {

void requireSuperuser(const SessionContext& session, std::string_view function) {
  if (isSuperuser(session.transaction.catalog())) return;
  throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied for function {}", function));
}

}  // namespace

sql::Value LargeObjects::importFile(const Call& call) {
  requireMayWrite("lo_import()");
  requireSuperuser(session_, "lo_import");
  LargeObjectSource file(call.bytes(0), session_.settings.text(SettingId::DataDirectory));
  const uint32_t oid = create(call.arguments.size() > 1 ? call.oid(1) : 0);
  int64_t offset = 0;
  for (std::string piece = file.next(); !piece.empty(); piece = file.next()) {
    session_.interrupts.poll();
    store_.write(oid, offset, piece);
    offset += static_cast<int64_t>(piece.size());
  }
  return call.answer(oid);
}

sql::Value LargeObjects::exportFile(const Call& call) {
  requireSuperuser(session_, "lo_export");
  const txn::Snapshot* const seen = session_.services.seen();
  const uint32_t oid = call.oid(0);
  requireRight(oid, sql::Privilege::Select, seen);
  LargeObjectTarget file(call.bytes(1), session_.settings.text(SettingId::DataDirectory));
  for (int64_t offset = 0;;) {
    session_.interrupts.poll();
    const std::string piece = store_.read(oid, offset, LargeObjectSource::kPieceBytes, seen);
    if (piece.empty()) break;
    file.write(piece);
    offset += static_cast<int64_t>(piece.size());
  }
  file.finish();
  return call.answer(1);
}

}  // namespace gnomon::server
