#include "tests/models/double_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace dikast::testing {
namespace {

using Row = std::vector<double>;

double GeluErf(double x) { return x * 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double GeluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double Relu(double x) { return x > 0 ? x : 0; }

double Activate(HiddenActivation activation, double x) {
  switch (activation) {
    case HiddenActivation::kGeluErf:
      return GeluErf(x);
    case HiddenActivation::kGeluTanh:
      return GeluTanh(x);
    case HiddenActivation::kRelu:
      return Relu(x);
  }
  return x;
}

class DoubleModel {
 public:
  explicit DoubleModel(const RandomCheckpoint& checkpoint) : checkpoint_(checkpoint) {}

  DoubleOutput Run(const std::vector<int32_t>& ids, const std::vector<uint32_t>& markers,
                   uint8_t type) {
    const auto* bert = std::get_if<BertConfig>(&checkpoint_.config().encoder);
    Rows h = bert ? Bert(*bert, ids)
                  : ModernBert(std::get<ModernBertConfig>(checkpoint_.config().encoder), ids);
    Head(h, markers, type);
    return std::move(output_);
  }

 private:
  const Row& Weight(const std::string& name) const { return checkpoint_[name]; }

  Row Linear(const Row& x, const std::string& weight, const std::string& bias) const {
    const Row& w = Weight(weight);
    Row y(w.size() / x.size());
    for (size_t o = 0; o < y.size(); ++o) {
      for (size_t i = 0; i < x.size(); ++i) y[o] += w[o * x.size() + i] * x[i];
      if (!bias.empty()) y[o] += Weight(bias)[o];
    }
    return y;
  }
  Row Dense(const Row& x, const std::string& name) const {
    return Linear(x, name + ".weight", name + ".bias");
  }

  Row Norm(const Row& x, const std::string& name, double eps, bool bias) const {
    const double n = static_cast<double>(x.size());
    double mean = 0, variance = 0;
    for (const double v : x) mean += v / n;
    for (const double v : x) variance += (v - mean) * (v - mean) / n;
    Row y(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      y[i] = (x[i] - mean) / std::sqrt(variance + eps) * Weight(name + ".weight")[i];
      if (bias) y[i] += Weight(name + ".bias")[i];
    }
    return y;
  }

  static Rows Each(const Rows& rows, const std::function<Row(const Row&)>& f) {
    Rows out;
    for (const Row& row : rows) out.push_back(f(row));
    return out;
  }
  static void Add(Rows& x, const Rows& y) {
    for (size_t r = 0; r < x.size(); ++r) {
      for (size_t c = 0; c < x[r].size(); ++c) x[r][c] += y[r][c];
    }
  }

  // What a key at a distance adds to its score, by head.
  using Bias = std::function<double(size_t head, int64_t distance)>;

  // fused rows are q | k | v; keys further than `window` away are not seen.
  static Rows Attention(const Rows& fused, size_t heads, size_t window, const Bias& bias = {}) {
    const size_t n = fused.size(), width = fused[0].size() / 3, dim = width / heads;
    Rows out(n, Row(width));
    for (size_t i = 0; i < n; ++i) {
      for (size_t h = 0; h < heads; ++h) {
        Row weight(n);
        double sum = 0;
        for (size_t j = 0; j < n; ++j) {
          if ((i > j ? i - j : j - i) > window) continue;
          double score = 0;
          for (size_t c = h * dim; c < (h + 1) * dim; ++c)
            score += fused[i][c] * fused[j][width + c];
          score /= std::sqrt(static_cast<double>(dim));
          if (bias) score += bias(h, static_cast<int64_t>(j) - static_cast<int64_t>(i));
          sum += weight[j] = std::exp(score);
        }
        for (size_t j = 0; j < n; ++j) {
          for (size_t c = h * dim; c < (h + 1) * dim; ++c) {
            out[i][c] += weight[j] / sum * fused[j][2 * width + c];
          }
        }
      }
    }
    return out;
  }

  // 32 buckets: distances up to 7 alone, then one for each factor of the square root of two.
  static uint32_t Bucket(int64_t distance) {
    const int64_t size = std::abs(distance);
    uint32_t bucket = static_cast<uint32_t>(std::min<int64_t>(size, 8));
    while (bucket >= 8 && bucket < 15 && size * size >= int64_t{64} << (bucket - 7)) ++bucket;
    return bucket + (distance > 0 ? 16 : 0);
  }

  Bias RelativeBias(const BertConfig& config) const {
    if (config.relative_buckets == 0) return {};
    return [&table = Weight("encoder.relative.weight"), heads = config.heads](
               size_t head, int64_t distance) { return table[Bucket(distance) * heads + head]; };
  }

  // Rotates q and k. The angle is formed in FP32, as the reference does.
  static void Rotate(Rows& fused, size_t heads, double base) {
    const size_t width = fused[0].size() / 3, dim = width / heads, half = dim / 2;
    for (size_t position = 0; position < fused.size(); ++position) {
      for (size_t head = 0; head < 2 * heads; ++head) {  // the heads of q, then those of k
        for (size_t i = 0; i < half; ++i) {
          const float exponent = static_cast<float>(2 * i) / static_cast<float>(dim);
          const float frequency = 1.0f / std::pow(static_cast<float>(base), exponent);
          const float angle = static_cast<float>(position) * frequency;
          double& first = fused[position][head * dim + i];
          double& second = fused[position][head * dim + half + i];
          const double a = first, b = second;
          const double c = std::cos(static_cast<double>(angle));
          const double s = std::sin(static_cast<double>(angle));
          first = a * c - b * s;
          second = b * c + a * s;
        }
      }
    }
  }

  Rows Embed(const std::string& name, const std::vector<int32_t>& ids, size_t width) const {
    Rows rows;
    for (const int32_t id : ids) {
      const auto begin = Weight(name).begin() + static_cast<ptrdiff_t>(id * width);
      rows.emplace_back(begin, begin + static_cast<ptrdiff_t>(width));
    }
    return rows;
  }

  Rows Bert(const BertConfig& config, const std::vector<int32_t>& ids) {
    const std::string e = "encoder.embeddings.";
    std::vector<int32_t> positions(ids.size());
    for (size_t i = 0; i < ids.size(); ++i) positions[i] = static_cast<int32_t>(i);
    Rows x = Embed(e + "word_embeddings.weight", ids, config.width);
    Add(x, Embed(e + "position_embeddings.weight", positions, config.width));
    Add(x, Embed(e + "token_type_embeddings.weight", std::vector<int32_t>(ids.size(), 0),
                 config.width));
    x = Each(x, [&](const Row& r) { return Norm(r, e + "LayerNorm", config.norm_eps, true); });
    output_.states.push_back(x);
    for (uint32_t l = 0; l < config.layers; ++l) {
      const std::string layer = "encoder.encoder.layer." + std::to_string(l) + ".";
      const Rows fused = Each(x, [&](const Row& r) {
        Row q = Dense(r, layer + "attention.self.query");
        for (const char* part : {"key", "value"}) {
          const Row more = Dense(r, layer + "attention.self." + part);
          q.insert(q.end(), more.begin(), more.end());
        }
        return q;
      });
      Add(x, Each(Attention(fused, config.heads, fused.size(), RelativeBias(config)),
                  [&](const Row& r) { return Dense(r, layer + "attention.output.dense"); }));
      x = Each(x, [&](const Row& r) {
        return Norm(r, layer + "attention.output.LayerNorm", config.norm_eps, true);
      });
      Add(x, Each(x, [&](const Row& r) {
            Row inner = Dense(r, layer + "intermediate.dense");
            for (double& v : inner) v = Activate(config.activation, v);
            return Dense(inner, layer + "output.dense");
          }));
      x = Each(x, [&](const Row& r) {
        return Norm(r, layer + "output.LayerNorm", config.norm_eps, true);
      });
      output_.states.push_back(x);
    }
    return x;
  }

  Rows ModernBert(const ModernBertConfig& config, const std::vector<int32_t>& ids) {
    const auto norm = [&](const std::string& name) {
      return [&, name](const Row& r) { return Norm(r, name, config.norm_eps, false); };
    };
    Rows x = Embed("encoder.embeddings.tok_embeddings.weight", ids, config.width);
    x = Each(x, norm("encoder.embeddings.norm"));
    output_.states.push_back(x);
    for (uint32_t l = 0; l < config.layers; ++l) {
      const std::string layer = "encoder.layers." + std::to_string(l) + ".";
      const bool global = config.global[l];
      Rows fused = Each(l == 0 ? x : Each(x, norm(layer + "attn_norm")),
                        [&](const Row& r) { return Linear(r, layer + "attn.Wqkv.weight", ""); });
      Rotate(fused, config.heads, global ? config.global_rope_base : config.local_rope_base);
      Add(x, Each(Attention(fused, config.heads, global ? fused.size() : config.half_window),
                  [&](const Row& r) { return Linear(r, layer + "attn.Wo.weight", ""); }));
      Add(x, Each(Each(x, norm(layer + "mlp_norm")), [&](const Row& r) {
            const Row both = Linear(r, layer + "mlp.Wi.weight", "");
            Row inner(config.intermediate);
            for (size_t i = 0; i < inner.size(); ++i) {
              inner[i] = Activate(config.activation, both[i]) * both[inner.size() + i];
            }
            return Linear(inner, layer + "mlp.Wo.weight", "");
          }));
      output_.states.push_back(x);
    }
    x = Each(x, norm("encoder.final_norm"));
    output_.states.push_back(x);
    return x;
  }

  void Head(Rows h, const std::vector<uint32_t>& markers, uint8_t type) {
    const size_t width = h[0].size(), heads = std::max<size_t>(1, width / 64);
    Add(h, Embed("type_emb.weight", std::vector<int32_t>(h.size(), type), width));
    for (uint32_t l = 0; l < checkpoint_.config().laya.head_layers; ++l) {
      const std::string layer = "head.layers." + std::to_string(l) + ".";
      const Rows fused = Each(h, [&](const Row& r) {
        return Linear(Norm(r, layer + "norm1", 1e-5, true), layer + "self_attn.in_proj_weight",
                      layer + "self_attn.in_proj_bias");
      });
      Add(h, Each(Attention(fused, heads, fused.size()),
                  [&](const Row& r) { return Dense(r, layer + "self_attn.out_proj"); }));
      Add(h, Each(h, [&](const Row& r) {
            Row inner = Dense(Norm(r, layer + "norm2", 1e-5, true), layer + "linear1");
            for (double& v : inner) v = Relu(v);
            return Dense(inner, layer + "linear2");
          }));
    }
    for (const uint32_t marker : markers) {
      Row inner = Dense(Norm(h[marker], "scorer.0", 1e-5, true), "scorer.1");
      for (double& v : inner) v = GeluErf(v);
      output_.logits.push_back(Dense(inner, "scorer.3")[0]);
    }
    Row input = h[0];
    AppendStatistics(input);
    Row inner = Dense(input, "act_head.0");
    for (double& v : inner) v = GeluErf(v);
    output_.actions = Dense(inner, "act_head.2");
  }

  void AppendStatistics(Row& input) const {
    Row p;
    double sum = 0, entropy = 0;
    for (const double z : output_.logits) sum += std::exp(z);
    for (const double z : output_.logits) p.push_back(std::exp(z) / sum);
    const double k = std::max<double>(2, static_cast<double>(p.size()));
    for (const double v : p) entropy -= v * std::log(std::max(v, 1e-9)) / std::log(k);
    std::sort(p.rbegin(), p.rend());
    p.resize(std::max<size_t>(2, p.size()));
    for (const double v : {p[0], p[0] - p[1], entropy, k / 255}) input.push_back(v);
  }

  const RandomCheckpoint& checkpoint_;
  DoubleOutput output_;
};

}  // namespace

DoubleOutput RunInDouble(const RandomCheckpoint& checkpoint, const std::vector<int32_t>& ids,
                         const std::vector<uint32_t>& markers, uint8_t type) {
  return DoubleModel(checkpoint).Run(ids, markers, type);
}

}  // namespace dikast::testing
