# find_package(dikast) gives the target dikast::dikast. The libraries are static: what they use in
# private is linked into the consumer.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(tl-expected)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(Boost 1.81)
find_dependency(spdlog)
find_dependency(ZLIB)
find_dependency(zstd)
include(${CMAKE_CURRENT_LIST_DIR}/dikastTargets.cmake)
