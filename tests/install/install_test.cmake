# Run by ctest; see CMakeLists.txt.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}\nended with ${code}:\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "expected '${text}' in:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(file bin/dikast include/dikast/engine.h share/dikast/presets/support.json
             share/dikast/models/dikast-mini/model.safetensors share/man/man1/dikast.1
             share/bash-completion/completions/dikast share/zsh/site-functions/_dikast)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

# Moved elsewhere, the installed program finds its model and presets by itself.
file(RENAME ${prefix} ${WORK}/moved)
set(prefix ${WORK}/moved)
unset(ENV{DIKAST_MODEL})
unset(ENV{DIKAST_PRESETS})
run(${prefix}/bin/dikast decide --preset support --example --json)
expect("\"model\":\"dikast-mini")
run(${prefix}/bin/dikast info --json)
expect("moved/share/dikast/models/dikast-mini")

set(sanitize "")
if(SANITIZE)
  set(sanitize -fsanitize=${SANITIZE})
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${WORK}/consumer -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
    -DCMAKE_CXX_FLAGS=${sanitize} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/decide_example ${prefix}/share/dikast/models/dikast-mini)
expect("department")
