// Early return for Result<T>.
#pragma once

#include "dikast/status.h"

#define DIKAST_TRY_CONCAT_(a, b) a##b
#define DIKAST_TRY_NAME_(a, b) DIKAST_TRY_CONCAT_(a, b)

// DIKAST_TRY(Config config, ParseConfig(text)); returns the error of the expression, or goes on.
#define DIKAST_TRY(declaration, expression) \
  DIKAST_TRY_IMPL_(DIKAST_TRY_NAME_(dikast_try_, __LINE__), declaration, expression)
#define DIKAST_TRY_IMPL_(name, declaration, expression)      \
  auto name = (expression);                                  \
  if (!name) return tl::unexpected(std::move(name).error()); \
  declaration = *std::move(name)

// DIKAST_CHECK_OK(Validate(x)); for Result<void>.
#define DIKAST_CHECK_OK(expression)                                              \
  do {                                                                           \
    auto dikast_result = (expression);                                           \
    if (!dikast_result) return tl::unexpected(std::move(dikast_result).error()); \
  } while (false)
