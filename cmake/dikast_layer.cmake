# dikast_layer(NAME SOURCES... DEPENDS...): one static library per folder of src/.
# The arrows between layers are the DEPENDS lists; tools/check_includes.py checks the #include lines.

add_library(dikast_flags INTERFACE)
target_compile_options(dikast_flags INTERFACE -Wall -Wextra)
if(DIKAST_WERROR)
  target_compile_options(dikast_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of g++ 12: moved std::variants, and std::string::replace at -O3.
  target_compile_options(dikast_flags INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
# One rounding per written operation: a fused multiply-add appears only where the code says fma, so
# the scalar, AVX2 and AVX-512 builds of one formula agree.
target_compile_options(dikast_flags INTERFACE -ffp-contract=off)
if(DIKAST_SANITIZE)
  target_compile_options(dikast_flags INTERFACE -fsanitize=${DIKAST_SANITIZE}
                                                -fno-omit-frame-pointer
                                                -fno-sanitize-recover=all)
  target_link_options(dikast_flags INTERFACE -fsanitize=${DIKAST_SANITIZE})
endif()
if(DIKAST_FUZZ)
  target_compile_options(dikast_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(dikast_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(dikast_${name} STATIC ${ARG_SOURCES})
  target_include_directories(
    dikast_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                          $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(dikast_${name} PUBLIC ${ARG_DEPENDS} PRIVATE $<BUILD_INTERFACE:dikast_flags>
                                                                   ${ARG_PRIVATE_DEPENDS})
  install(TARGETS dikast_${name} EXPORT dikast_targets)
endfunction()
