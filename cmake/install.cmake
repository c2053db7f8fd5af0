# What `cmake --install` places, so that the program finds its data and find_package(dikast) works.
include(CMakePackageConfigHelpers)

install(TARGETS dikast RUNTIME)
install(TARGETS dikast_library EXPORT dikast_targets)
install(DIRECTORY include/dikast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dikast)
install(EXPORT dikast_targets NAMESPACE dikast:: FILE dikastTargets.cmake
        DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/dikastConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/dikastConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/dikastConfigVersion.cmake
        DESTINATION ${package_folder})

install(DIRECTORY models/dikast-mini models/dikast-mini-v1
        DESTINATION ${CMAKE_INSTALL_DATADIR}/dikast/models)
# The attributions that the model card names.
install(FILES training/data/SOURCES-1.md training/data/SOURCES-2.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/dikast/models)
install(DIRECTORY presets DESTINATION ${CMAKE_INSTALL_DATADIR}/dikast)
install(FILES docs/man/dikast.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/completion/dikast.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dikast)
install(FILES docs/completion/_dikast DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES docs/completion/dikast.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# A service manager's unit; it does nothing until it is enabled.
configure_file(packaging/dikast.service.in dikast.service @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dikast.service DESTINATION lib/systemd/system)
