set(GNOMON_ROOM_LIBRARIES gnomon_pg_query gnomon_gmp gnomon_simdjson PkgConfig::ICU)
# Tests that read the texts of TPC-H; __FILE__ is relative where objects are shared.
set_source_files_properties(${CMAKE_SOURCE_DIR}/sql/tests/tpch_plans.cc PROPERTIES COMPILE_DEFINITIONS
                            "GNOMON_SOURCE_FOLDER=\"${CMAKE_SOURCE_DIR}\"")
