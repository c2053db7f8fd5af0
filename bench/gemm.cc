// The packed FP32 product against OpenBLAS and oneDNN: one thread, N = 5248, K = 1024 (the widest
// layer of ModernBERT-large), in alternating order.
//
//   bench_gemm [--isa avx512|avx2|scalar] [--rounds 200] [--rows 78,512] [--commit ID]
//              [--output FILE]
//
// Weights are packed beforehand where the rival offers it (oneDNN: format_tag::any); our
// activations need no packing, theirs is inside the timing. OpenBLAS reads the weights in the
// faster of the two layouts. A ratio is rival time / our time of one round: 1 is equal, 0.8 the
// goal.
#include <cblas.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dnnl.hpp>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <unordered_map>

#include "base/json_writer.h"
#include "bench/machine.h"
#include "bench/paired.h"
#include "kernels/ops.h"

namespace dikast {
namespace {

constexpr size_t kOutputs = 5248, kInputs = 1024;

struct Options {
  Isa isa = AvailableIsaList().front();
  size_t rounds = 200;
  std::vector<size_t> rows = {1, 4, 16, 78, 512};
  std::string commit, output, command;
};

// The rivals' best kernels for the ISA under test, and one thread. Libraries read the environment
// when they are loaded, so the program starts itself again. OpenBLAS 0.3.21 takes processors newer
// than itself for a Prescott (SSE3): it is told the core.
void RestartWithRivalsAtTheirBest(const Options& options, char** argv) {
  if (std::getenv("DIKAST_BENCH_RESTARTED")) return;
  const bool avx512 = options.isa == Isa::kAvx512;
  setenv("OPENBLAS_CORETYPE", avx512 ? "SkylakeX" : "Haswell", 1);
  setenv("DNNL_MAX_CPU_ISA", avx512 ? "DEFAULT" : "AVX2", 1);
  unsetenv("OPENBLAS_L2_SIZE");
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) setenv(name, "1", 1);
  setenv("DIKAST_BENCH_RESTARTED", "1", 1);
  execv("/proc/self/exe", argv);
  std::perror("execv");
  std::exit(5);
}

bool ReadOption(Options& options, const std::string& name, const std::string& value) {
  if (name == "--isa") {
    const auto isa = IsaFromName(value);
    if (!isa || !FindOps(*isa)) return false;
    options.isa = *isa;
  } else if (name == "--rounds") {
    options.rounds = std::stoul(value);
  } else if (name == "--rows") {
    options.rows.clear();
    std::istringstream list(value);
    for (std::string rows; std::getline(list, rows, ',');) options.rows.push_back(std::stoul(rows));
  } else if (name == "--commit") {
    options.commit = value;
  } else if (name == "--output") {
    options.output = value;
  } else {
    return false;
  }
  return true;
}

Options ReadOptions(int argc, char** argv) {
  Options options;
  for (int i = 0; i < argc; ++i) options.command += std::string(i ? " " : "") + argv[i];
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc || !ReadOption(options, argv[i], argv[i + 1])) {
      std::cerr << "bench_gemm: cannot use " << argv[i] << "; see the head of bench/gemm.cc\n";
      std::exit(2);
    }
  }
  if (options.commit.empty()) options.commit = Commit();
  return options;
}

std::vector<float> RandomValues(size_t count) {
  static std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<float> Transposed(const std::vector<float>& w) {
  std::vector<float> t(w.size());
  for (size_t i = 0; i < w.size(); ++i) t[i % kInputs * kOutputs + i / kInputs] = w[i];
  return t;
}

// The three products of one number of rows.
class Contest {
 public:
  Contest(const Ops& ops, size_t rows, const std::vector<float>& w, const std::vector<float>& wt)
      : ops_(ops),
        rows_(rows),
        x_(RandomValues(rows * kInputs)),
        w_(w),
        wt_(wt),
        packed_(ops.pack({.rows = kOutputs,
                          .columns = kInputs,
                          .data = reinterpret_cast<const std::byte*>(w.data())})),
        scratch_(ops.scratch_floats(1, kInputs, 1)),
        ours_(rows * kOutputs),
        theirs_(ours_.size()) {
    PrepareDnnl();
    transpose_ = Best([&] { OpenBlas(true); }) < Best([&] { OpenBlas(false); });
  }

  void Ours() {
    const OpContext context{pool_, scratch_.span(), scratch_.size()};
    ops_.linear(context, x_.data(), rows_, packed_, nullptr, Activation::kNone, nullptr,
                ours_.data());
  }
  void OpenBlas() { OpenBlas(transpose_); }
  void Dnnl() {
    matmul_.execute(stream_, arguments_);
    stream_.wait();
  }
  std::string blas_layout() const { return transpose_ ? "[outputs, inputs]" : "[inputs, outputs]"; }

  // Largest difference between our product and the last one of a rival.
  double Difference() const {
    double largest = 0;
    for (size_t i = 0; i < ours_.size(); ++i) {
      largest = std::max<double>(largest, std::abs(ours_[i] - theirs_[i]));
    }
    return largest;
  }

 private:
  void OpenBlas(bool transpose) {
    const int m = static_cast<int>(rows_), n = kOutputs, k = kInputs;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, transpose ? CblasTrans : CblasNoTrans, m, n, k, 1,
                x_.data(), k, transpose ? w_.data() : wt_.data(), transpose ? k : n, 0,
                theirs_.data(), n);
  }

  template <class Work>
  static double Best(const Work& work) {
    double best = INFINITY;
    for (int i = 0; i < 5; ++i) best = std::min(best, ThreadSeconds(work));
    return best;
  }

  void PrepareDnnl() {
    using dnnl::memory;
    const auto type = memory::data_type::f32;
    const memory::dim m = static_cast<memory::dim>(rows_), n = kOutputs, k = kInputs;
    const memory::desc x({m, k}, type, memory::format_tag::ab);
    const memory::desc any({k, n}, type, memory::format_tag::any);
    const memory::desc plain({k, n}, type, memory::format_tag::ba);
    const memory::desc out({m, n}, type, memory::format_tag::ab);
    const dnnl::matmul::primitive_desc description({x, any, out}, engine_);
    memory weights(plain, engine_, const_cast<float*>(w_.data()));
    memory packed(description.weights_desc(), engine_);
    dnnl::reorder(weights, packed).execute(stream_, weights, packed);
    stream_.wait();
    matmul_ = dnnl::matmul(description);
    arguments_ = {{DNNL_ARG_SRC, memory(x, engine_, x_.data())},
                  {DNNL_ARG_WEIGHTS, packed},
                  {DNNL_ARG_DST, memory(out, engine_, theirs_.data())}};
  }

  const Ops& ops_;
  size_t rows_;
  std::vector<float> x_;
  const std::vector<float>&w_, &wt_;
  PackedMatrix packed_;
  ThreadPool pool_{1};
  AlignedBuffer<float> scratch_;
  std::vector<float> ours_, theirs_;
  bool transpose_ = true;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::matmul matmul_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

struct Series {
  const char* name;
  std::function<void()> run;
  std::vector<double> seconds = {};
};

void WriteEstimate(JsonWriter& json, const char* key, const Estimate& e) {
  json.Key(key).BeginArray().Number(e.low).Number(e.median).Number(e.high).EndArray();
}

// Ours first, then OpenBLAS and oneDNN; each round starts with another one.
void Measure(const Options& options, size_t rows, Contest& contest, JsonWriter& json) {
  Series series[] = {{"dikast", [&] { contest.Ours(); }},
                     {"openblas", [&] { contest.OpenBlas(); }},
                     {"onednn", [&] { contest.Dnnl(); }}};
  for (size_t round = 0; round < options.rounds + 3; ++round) {
    for (size_t i = 0; i < 3; ++i) {
      Series& s = series[(round + i) % 3];
      const double seconds = ThreadSeconds(s.run);
      if (round >= 3) s.seconds.push_back(seconds);
    }
  }
  json.BeginObject().Key("rows").Integer(static_cast<int64_t>(rows));
  const double flops = 2e-9 * static_cast<double>(rows * kOutputs * kInputs);
  std::printf("M = %zu:", rows);
  for (const Series& s : series) {
    const double gflops = flops / Median(s.seconds);
    json.Key(s.name + std::string("_gflops")).Number(gflops);
    std::printf("  %s %.1f GFLOP/s", s.name, gflops);
  }
  for (size_t rival : {1, 2}) {
    std::vector<double> ratios(options.rounds);
    for (size_t i = 0; i < ratios.size(); ++i) {
      ratios[i] = series[rival].seconds[i] / series[0].seconds[i];
    }
    const Estimate e = MedianInterval(ratios);
    WriteEstimate(json, (std::string("ratio_to_") + series[rival].name).c_str(), e);
    std::printf("  / %s %.3f [%.3f, %.3f]", series[rival].name, e.median, e.low, e.high);
  }
  json.Key("openblas_weights").String(contest.blas_layout());
  json.Key("largest_difference").Number(contest.Difference()).EndObject();
  std::printf("\n");
}

int Run(const Options& options) {
  const auto w = RandomValues(kOutputs * kInputs), wt = Transposed(w);
  JsonWriter json;
  json.BeginObject().Key("cpu").String(CpuName()).Key("machine").String(FirstLine("uname -srm"));
  json.Key("isa").String(IsaName(options.isa)).Key("commit").String(options.commit);
  json.Key("command").String(options.command);
  json.Key("openblas").String(openblas_get_config()).Key("openblas_core");
  json.String(openblas_get_corename());
  const auto* version = dnnl::version();
  json.Key("onednn").String(std::to_string(version->major) + "." + std::to_string(version->minor) +
                            "." + std::to_string(version->patch));
  json.Key("outputs").Integer(kOutputs).Key("inputs").Integer(kInputs).Key("threads").Integer(1);
  json.Key("rounds").Integer(static_cast<int64_t>(options.rounds)).Key("results").BeginArray();
  std::printf("%s, %s; OpenBLAS core %s\n", CpuName().c_str(),
              std::string(IsaName(options.isa)).c_str(), openblas_get_corename());
  for (const size_t rows : options.rows) {
    Contest contest(*FindOps(options.isa), rows, w, wt);
    Measure(options, rows, contest, json);
  }
  json.EndArray().EndObject();
  if (options.output.empty()) return 0;
  std::ofstream file(options.output);
  file << json.Take() << "\n";
  return file.good() ? 0 : 4;
}

}  // namespace
}  // namespace dikast

int main(int argc, char** argv) {
  const dikast::Options options = dikast::ReadOptions(argc, argv);
  dikast::RestartWithRivalsAtTheirBest(options, argv);
  return dikast::Run(options);
}
