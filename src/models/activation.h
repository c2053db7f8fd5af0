#pragma once

#include "checkpoint/config.h"
#include "kernels/ops.h"

namespace dikast {

// The kernels' name for a configuration's activation.
inline Activation ActivationOf(HiddenActivation activation) {
  switch (activation) {
    case HiddenActivation::kGeluErf:
      return Activation::kGeluErf;
    case HiddenActivation::kGeluTanh:
      return Activation::kGeluTanh;
    case HiddenActivation::kRelu:
      return Activation::kRelu;
  }
  return Activation::kNone;
}

}  // namespace dikast
