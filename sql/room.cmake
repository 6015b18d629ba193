set(GNOMON_ROOM_LIBRARIES gnomon_pg_query gnomon_gmp gnomon_simdjson PkgConfig::ICU OpenSSL::Crypto)
# Tests that read files of the project; __FILE__ is relative where objects are shared.
set_source_files_properties(${CMAKE_SOURCE_DIR}/sql/tests/tpch_plans.cc PROPERTIES COMPILE_DEFINITIONS
                            "GNOMON_SOURCE_FOLDER=\"${CMAKE_SOURCE_DIR}\"")
set_source_files_properties(${CMAKE_SOURCE_DIR}/sql/plpgsql/tests/corpus.cc PROPERTIES COMPILE_DEFINITIONS
                            "GNOMON_SOURCE_FOLDER=\"${CMAKE_SOURCE_DIR}\"")
# Says of routines what the parser of PL/pgSQL does, for client-tests/test_plpgsql_corpus.py.
if(GNOMON_TESTS)
  add_executable(gnomon_plpgsql_check ${CMAKE_SOURCE_DIR}/sql/plpgsql/tests/check/main.cc
                 ${CMAKE_SOURCE_DIR}/sql/plpgsql/tests/corpus.cc ${CMAKE_SOURCE_DIR}/sql/plpgsql/tests/test_catalog.cc)
  target_link_libraries(gnomon_plpgsql_check PRIVATE gnomon_sql)
  set_target_properties(gnomon_plpgsql_check PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()
