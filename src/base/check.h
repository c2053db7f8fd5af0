// DIKAST_CHECK(condition): stops the process on a fault of dikast itself, never on bad input.
#pragma once

#include <cstdio>
#include <cstdlib>

#define DIKAST_CHECK(condition)                                                         \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      std::fprintf(stderr, "dikast: internal fault at %s:%d: %s\n", __FILE__, __LINE__, \
                   #condition);                                                         \
      std::abort();                                                                     \
    }                                                                                   \
  } while (false)
