# Compiler flags shared by every room.
# Clones and work trees in different folders share what ccache keeps: paths are taken relative to the tree, and to the build
# folder (compiler_cache).
find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CMAKE_SOURCE_DIR}/cmake/compiler_cache)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

# The library headers that most files include, parsed once for each target: 40 % of the time of a build. Files include what they
# use all the same; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows where one does not.
set(GNOMON_PRECOMPILED_HEADERS <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring>
    <deque> <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <ranges> <set> <span>
    <string> <string_view> <thread> <unordered_map> <unordered_set> <utility> <vector> <fmt/format.h>)
# What their versions are, for ccache: a precompiled header says where it was made, so its contents tell nothing.
execute_process(COMMAND dpkg-query --show libc6-dev libstdc++-12-dev libfmt-dev libgtest-dev libgmock-dev clang-19
  OUTPUT_VARIABLE GNOMON_PRECOMPILED_VERSIONS ERROR_QUIET RESULT_VARIABLE found)
if(NOT found EQUAL 0)
  string(RANDOM LENGTH 32 GNOMON_PRECOMPILED_VERSIONS)
endif()
function(gnomon_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum
    CONTENT "${ARGN}\n${GNOMON_PRECOMPILED_VERSIONS}" @ONLY)
endfunction()
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")

add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror)
# Hashing uses the CRC32 instruction, tagged pointers a popcount: every x86-64 since 2009 has both.
add_compile_options(-march=x86-64-v2 -fno-omit-frame-pointer -fdiagnostics-color=always)
add_link_options(-fuse-ld=lld)

if(GNOMON_ASAN)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
if(GNOMON_TSAN)
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
# Profile-guided and link-time optimisation (scripts/pgo_build). "train": the program counts what it executes; else the profile.
set(GNOMON_PGO "" CACHE STRING "train, or the file of a profile to build with")
if(GNOMON_PGO STREQUAL "train")
  add_compile_options(-fprofile-generate)
  add_link_options(-fprofile-generate)
elseif(GNOMON_PGO)
  add_compile_options(-flto=thin -fprofile-use=${GNOMON_PGO} -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date
                      -Wno-backend-plugin)
  add_link_options(-flto=thin -Wl,--thinlto-cache-dir=${CMAKE_BINARY_DIR}/thinlto)
endif()
if(GNOMON_TIDY)
  set(CMAKE_CXX_CLANG_TIDY clang-tidy-19)
endif()
add_compile_definitions($<$<CONFIG:Debug>:GNOMON_DEBUG=1>)
