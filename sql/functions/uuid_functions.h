#pragma once

#include <span>

#include "sql/types/value.h"

/// Functions of extension uuid-ossp, as ExtensionFunction::answer. Source: RFC 4122.
namespace gnomon::sql {

Value nilUuid(std::span<const Value> arguments, Type result);
/// The name spaces of the RFC's appendix C.
Value dnsNamespace(std::span<const Value> arguments, Type result);
Value urlNamespace(std::span<const Value> arguments, Type result);
Value oidNamespace(std::span<const Value> arguments, Type result);
Value x500Namespace(std::span<const Value> arguments, Type result);
/// Of the time and a random node, which stays the same while the server runs. Threads: any.
Value timeUuid(std::span<const Value> arguments, Type result);
/// The same with another random node each time.
Value multicastTimeUuid(std::span<const Value> arguments, Type result);
/// Of a name space and a name, by MD5 and by SHA-1.
Value md5Uuid(std::span<const Value> arguments, Type result);
Value sha1Uuid(std::span<const Value> arguments, Type result);
Value randomUuidValue(std::span<const Value> arguments, Type result);

}  // namespace gnomon::sql
