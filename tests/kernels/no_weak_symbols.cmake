# cmake -DNM=nm -DOBJECTS=a.o;b.o -P no_weak_symbols.cmake
# A weak symbol in an object of one ISA could be linked into code for machines without that ISA.
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(NOT symbols MATCHES "Kernels")
    message(FATAL_ERROR "${object} has no kernel table")
  elseif(symbols MATCHES "[^\n]* [WVuwv] [^\n]*")
    message(FATAL_ERROR "${object} has a weak symbol: ${CMAKE_MATCH_0}")
  endif()
  message("${object}: no weak symbol")
endforeach()
