# Third-party libraries, all from Debian 12 (the table with the reasons is in docs/dependencies.md).
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(URING REQUIRED IMPORTED_TARGET liburing)
pkg_check_modules(ICU REQUIRED IMPORTED_TARGET icu-uc icu-i18n)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_package(mimalloc 2 REQUIRED)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)

add_library(gnomon_pg_query INTERFACE)
target_link_libraries(gnomon_pg_query INTERFACE pg_query protobuf-c xxhash)

add_library(gnomon_gmp INTERFACE)
target_link_libraries(gnomon_gmp INTERFACE gmp)

# simdjson is seen only by sql/types/json_parser.cc.
add_library(gnomon_simdjson INTERFACE)
target_link_libraries(gnomon_simdjson INTERFACE simdjson)

# LLVM is seen only by files under codegen/llvm/.
set(GNOMON_LLVM_CONFIG /usr/lib/llvm-19/bin/llvm-config)
add_library(gnomon_llvm INTERFACE)
target_include_directories(gnomon_llvm SYSTEM INTERFACE /usr/lib/llvm-19/include)
target_link_directories(gnomon_llvm INTERFACE /usr/lib/llvm-19/lib)
target_link_libraries(gnomon_llvm INTERFACE LLVM-19)
