// Parts of a model, expanded from its weights into the layout of one Ops table.
#pragma once

#include <atomic>
#include <initializer_list>
#include <new>
#include <string>
#include <vector>

#include "checkpoint/weights.h"
#include "models/pass.h"

namespace dikast {

// All functions may throw std::bad_alloc.
class Loader {
 public:
  Loader(const Weights& weights, const Ops& ops, ThreadPool& pool)
      : weights_(weights), ops_(ops), pool_(pool) {}

  const StoredTensor& Stored(const std::string& name) const { return weights_[name]; }

  // All rows of a tensor as float32.
  AlignedBuffer<float> Floats(const std::string& name) const;

  Dense DenseWithBias(const std::string& name) const {
    return DenseNamed(name + ".weight", name + ".bias");
  }
  Dense DenseWithoutBias(const std::string& name) const {
    return {ops_.pack(weights_[name + ".weight"]), {}};
  }
  Dense DenseNamed(const std::string& weight, const std::string& bias) const {
    return {ops_.pack(weights_[weight]), Floats(bias)};
  }
  // Several dense layers over the same input as one: the outputs of names[0], then names[1], ...
  Dense StackedDense(std::initializer_list<std::string> names) const;

  Norm NormWithBias(const std::string& name, float eps) const {
    return {Floats(name + ".weight"), Floats(name + ".bias"), eps};
  }
  Norm NormWithoutBias(const std::string& name, float eps) const {
    return {Floats(name + ".weight"), {}, eps};
  }

  // layers[l] = load(l) for every l, spread over the pool: packing reads and writes the whole
  // model.
  template <class Layer, class Load>
  std::vector<Layer> Layers(size_t count, const Load& load) const {
    std::vector<Layer> layers(count);
    std::atomic<bool> out_of_memory = false;  // tasks must not throw
    pool_.ParallelFor(count, [&](size_t l, int) {
      try {
        layers[l] = load(l);
      } catch (const std::bad_alloc&) {
        out_of_memory = true;
      }
    });
    if (out_of_memory) throw std::bad_alloc();
    return layers;
  }

 private:
  const Weights& weights_;
  const Ops& ops_;
  ThreadPool& pool_;
};

}  // namespace dikast
