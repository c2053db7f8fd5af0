#include "checkpoint/config.h"

#include <unistd.h>

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dikast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

LayaConfig Laya(const std::string& members) {
  const auto config =
      ParseLayaConfig(R"({"encoder":"e","head_layers":2)" + members + "}", "rl_agent_config.json");
  EXPECT_TRUE(config) << config.error().message;
  return config.value_or(LayaConfig());
}

TEST(LayaConfig, Defaults) {
  const LayaConfig config = Laya("");
  EXPECT_EQ(config.head_layers, 2u);
  EXPECT_EQ(config.max_len, 512u);
  EXPECT_EQ(config.head_max_len, 192u);
  EXPECT_EQ(config.actions, 1u);
  EXPECT_THAT(config.temperature.by_type, ElementsAre(1, 1, 1));
  EXPECT_TRUE(config.temperature.by_bucket.empty());
  EXPECT_FALSE(config.quantized_bits);
}

TEST(LayaConfig, PublishedEnglishModel) {
  const LayaConfig config = Laya(R"(, "max_len": 512, "head_max_len": 192,
      "act_costs": {"escalate": 0.5}, "amp_dtype": "bf16", "max_prefixes": 6,
      "cost_wrong_act": 3.0, "training": {"steps": [1, 2]}, "fine_tuned": true,
      "temperature": [1.6369030475616455, 1.2514300346374512, 1.983399510383606],
      "temperature_by_options": {"choice:2": 1.9063563346862793, "choice:11+": 0.1005828})");
  EXPECT_EQ(config.actions, 2u);
  EXPECT_THAT(config.temperature.by_type,
              ElementsAre(1.6369030475616455, 1.2514300346374512, 1.983399510383606));
  // Kept as written: the clamp to [0.5, 5] is the read-out's.
  EXPECT_THAT(config.temperature.by_bucket,
              ElementsAre(Pair("choice:11+", 0.1005828), Pair("choice:2", 1.9063563346862793)));
}

// What Python's float() takes is a number; everything else counts as 1.0, not as absent.
TEST(LayaConfig, UnusableTemperaturesAreOne) {
  const std::string zeros(400, '0');
  const std::string long_tiny = "0." + zeros + "1", long_huge = "1" + zeros;
  const std::pair<std::string, double> kCases[] = {{"2", 2},
                                                   {"\"1.5\"", 1.5},
                                                   {"\" +2.5e0 \"", 2.5},
                                                   {"\"1_0.5\"", 10.5},
                                                   {"-3", -3},
                                                   {"\"-3\"", -3},
                                                   {"1e-400", 0},
                                                   {"null", 1},
                                                   {"true", 1},
                                                   {"false", 1},
                                                   {"\"warm\"", 1},
                                                   {"\"\"", 1},
                                                   {"\"1__0\"", 1},
                                                   {"[2]", 1},
                                                   {"{}", 1},
                                                   {long_tiny, 0},
                                                   {long_huge, 1},
                                                   {"NaN", 1},
                                                   {"Infinity", 1},
                                                   {"-Infinity", 1},
                                                   {"1e400", 1},
                                                   {"\"nan\"", 1},
                                                   {"\"inf\"", 1},
                                                   {"\"0x10\"", 1},
                                                   {"\"2 3\"", 1},
                                                   {"\"+-2\"", 1}};
  for (const auto& [json, expected] : kCases) {
    SCOPED_TRACE(json);
    const std::string text = json;
    const LayaConfig config = Laya(R"(,"temperature":[)" + text + ",3," + text +
                                   R"(],"temperature_by_options":{"noul:2":)" + text + "}");
    EXPECT_THAT(config.temperature.by_type, ElementsAre(expected, 3, expected));
    EXPECT_THAT(config.temperature.by_bucket, ElementsAre(Pair("noul:2", expected)));
  }
}

TEST(LayaConfig, OnlyTheNumberOfActionCostsMatters) {
  EXPECT_EQ(Laya(R"(,"act_costs":{})").actions, 1u);
  EXPECT_EQ(Laya(R"(,"act_costs":{"a":null,"b":"x"})").actions, 3u);
}

TEST(LayaConfig, AHeadBudgetBelowZeroIsZero) {
  EXPECT_EQ(Laya(R"(,"head_max_len":0)").head_max_len, 0u);
  EXPECT_EQ(Laya(R"(,"head_max_len":-70)").head_max_len, 0u);
}

TEST(LayaConfig, Quantization) {
  EXPECT_EQ(Laya(R"(,"quantization":{"group_size":64,"bits":8})").quantized_bits, 8u);
  EXPECT_EQ(Laya(R"(,"quantization":{"bits":4,"mode":"affine"})").quantized_bits, 4u);
  EXPECT_EQ(Laya(R"(,"quantization":null)").quantized_bits, std::nullopt);
}

TEST(LayaConfig, TheLastOfEqualKeysWinsAsInTheReference) {
  EXPECT_EQ(Laya(R"(,"max_len":100,"max_len":200)").max_len, 200u);
}

ModernBertConfig ModernBert(const std::string& members) {
  const auto config =
      ParseEncoderConfig(R"({"model_type":"modernbert")" + members + "}", "config.json");
  EXPECT_TRUE(config) << config.error().message;
  return config ? std::get<ModernBertConfig>(*config) : ModernBertConfig();
}

TEST(ModernBertConfig, DefaultsOfItsClass) {
  const ModernBertConfig config = ModernBert("");
  EXPECT_EQ(config.vocabulary, 50368u);
  EXPECT_EQ(config.width, 768u);
  EXPECT_EQ(config.intermediate, 1152u);
  EXPECT_EQ(config.layers, 22u);
  EXPECT_EQ(config.heads, 12u);
  EXPECT_EQ(config.max_positions, 8192u);
  EXPECT_FLOAT_EQ(config.norm_eps, 1e-5f);
  EXPECT_EQ(config.half_window, 64u);
  EXPECT_EQ(config.global_rope_base, 160000);
  EXPECT_EQ(config.local_rope_base, 10000);
  for (size_t layer = 0; layer < 22; ++layer) EXPECT_EQ(config.global[layer], layer % 3 == 0);
}

constexpr char kSmall[] = R"(,"num_hidden_layers":4,"hidden_size":128,"num_attention_heads":2)";

TEST(ModernBertConfig, OlderSpelling) {
  const ModernBertConfig config = ModernBert(std::string(kSmall) + R"(,"global_rope_theta":1000,
      "local_rope_theta":160000.0,"global_attn_every_n_layers":2,"local_attention":7,
      "layer_norm_eps":0.5,"norm_eps":1e-6,"cls_token_id":1,"dtype":"bfloat16")");
  EXPECT_THAT(config.global, ElementsAre(true, false, true, false));
  EXPECT_EQ(config.global_rope_base, 1000);
  EXPECT_EQ(config.local_rope_base, 160000);
  EXPECT_EQ(config.half_window, 3u);
  EXPECT_FLOAT_EQ(config.norm_eps, 1e-6f);
}

TEST(ModernBertConfig, NewerSpellingWins) {
  const ModernBertConfig config = ModernBert(std::string(kSmall) + R"(,"global_rope_theta":1000,
      "local_rope_theta":2000,"global_attn_every_n_layers":2,"sliding_window":5,
      "layer_types":["sliding_attention","full_attention","full_attention","sliding_attention"],
      "rope_parameters":{"full_attention":{"rope_type":"default","rope_theta":160000.0},
                         "sliding_attention":{"rope_type":"default"}})");
  EXPECT_THAT(config.global, ElementsAre(false, true, true, false));
  EXPECT_EQ(config.global_rope_base, 160000);
  EXPECT_EQ(config.local_rope_base, 2000);  // its kind gives no base: the older key
  EXPECT_EQ(config.half_window, 5u);        // in place of the halved local_attention
}

TEST(ModernBertConfig, AKindWithoutAnyBaseTakesTheDefault) {
  const ModernBertConfig config =
      ModernBert(R"(,"rope_parameters":{"sliding_attention":{"rope_theta":7}})");
  EXPECT_EQ(config.global_rope_base, 160000);
  EXPECT_EQ(config.local_rope_base, 7);
}

TEST(ModernBertConfig, Activations) {
  EXPECT_EQ(ModernBert(R"(,"hidden_activation":"gelu")").activation, HiddenActivation::kGeluErf);
  EXPECT_EQ(ModernBert(R"(,"hidden_activation":"gelu_new")").activation,
            HiddenActivation::kGeluTanh);
  EXPECT_EQ(ModernBert(R"(,"hidden_activation":"relu")").activation, HiddenActivation::kRelu);
}

TEST(BertConfig, ReadsItsKeys) {
  const auto config = ParseEncoderConfig(
      R"({"model_type":"bert","vocab_size":100,"hidden_size":64,"intermediate_size":99,
          "num_hidden_layers":3,"num_attention_heads":4,"max_position_embeddings":77,
          "type_vocab_size":1,"layer_norm_eps":1e-7,"hidden_act":"gelu_new",
          "position_embedding_type":"absolute"})",
      "config.json");
  ASSERT_TRUE(config) << config.error().message;
  const auto& bert = std::get<BertConfig>(*config);
  EXPECT_EQ(bert.vocabulary, 100u);
  EXPECT_EQ(bert.width, 64u);
  EXPECT_EQ(bert.intermediate, 99u);
  EXPECT_EQ(bert.layers, 3u);
  EXPECT_EQ(bert.heads, 4u);
  EXPECT_EQ(bert.max_positions, 77u);
  EXPECT_EQ(bert.token_types, 1u);
  EXPECT_FLOAT_EQ(bert.norm_eps, 1e-7f);
  EXPECT_EQ(bert.activation, HiddenActivation::kGeluTanh);
}

constexpr char kTokens[] = R"({"cls_token":"[C]","sep_token":{"content":"[S]","lstrip":true},
    "pad_token":"[P]","tokenizer_class":null,"extra_special_tokens":["a"])";

TEST(SpecialTokens, StringsObjectsAndGaps) {
  const auto tokens =
      ParseSpecialTokens(std::string(kTokens) + R"(,"mask_token":null})",
                         R"({"mask_token":{"content":"<mask>"},"cls_token":"other"})", "t.json");
  ASSERT_TRUE(tokens) << tokens.error().message;
  EXPECT_EQ(tokens->cls, "[C]");
  EXPECT_EQ(tokens->sep, "[S]");
  EXPECT_EQ(tokens->pad, "[P]");
  EXPECT_EQ(tokens->mask, "<mask>");
  EXPECT_FALSE(tokens->truncate_left);
}

TEST(SpecialTokens, TruncationSide) {
  const std::string text =
      std::string(kTokens) + R"(,"mask_token":"[M]","truncation_side":"left"})";
  EXPECT_TRUE(ParseSpecialTokens(text, "", "t.json").value().truncate_left);
}

struct Refusal {
  const char* name;
  enum { kLaya, kEncoder, kTokens } file;
  const char* text;
  std::vector<const char*> message;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

#define LAYA(members) "{\"encoder\":\"e\",\"head_layers\":1," members "}"
#define MODERN(members) "{\"model_type\":\"modernbert\"," members "}"
#define BERT(members) "{\"model_type\":\"bert\"," members "}"
#define TOKENS(mask) "{\"cls_token\":\"c\",\"sep_token\":\"s\",\"pad_token\":\"p\"" mask "}"

const Refusal kRefusals[] = {
    {"NoJson", Refusal::kLaya, "{", {"not JSON"}},
    {"NoObject", Refusal::kLaya, "[1]", {"an object is needed, not an array"}},
    {"NoEncoder", Refusal::kLaya, R"({"head_layers":1})", {"/encoder", "missing"}},
    {"NoHeadLayers", Refusal::kLaya, R"({"encoder":"e"})", {"/head_layers", "missing"}},
    {"HeadLayersNull",
     Refusal::kLaya,
     R"({"encoder":"e","head_layers":null})",
     {"/head_layers", "not null"}},
    {"HeadLayersMany", Refusal::kLaya, R"({"encoder":"e","head_layers":65})", {"64", "65"}},
    {"MaxLenFraction", Refusal::kLaya, LAYA(R"("max_len":512.0)"), {"/max_len", "512.0"}},
    {"MaxLenText", Refusal::kLaya, LAYA(R"("max_len":"512")"), {"/max_len", "\"512\""}},
    {"MaxLenZero", Refusal::kLaya, LAYA(R"("max_len":0)"), {"/max_len", "from 1"}},
    {"MaxLenHuge", Refusal::kLaya, LAYA(R"("max_len":4294967296)"), {"/max_len", "4294967296"}},
    {"HeadMaxLenText", Refusal::kLaya, LAYA(R"("head_max_len":"-x")"), {"/head_max_len"}},
    {"TemperatureNull", Refusal::kLaya, LAYA(R"("temperature":null)"), {"/temperature", "null"}},
    {"TemperatureShort", Refusal::kLaya, LAYA(R"("temperature":[1,1])"), {"3 numbers", "one of 2"}},
    {"TemperatureNumber", Refusal::kLaya, LAYA(R"("temperature":1.5)"), {"/temperature", "1.5"}},
    {"BucketsNull",
     Refusal::kLaya,
     LAYA(R"("temperature_by_options":null)"),
     {"/temperature_by_options", "null"}},
    {"BucketsList",
     Refusal::kLaya,
     LAYA(R"("temperature_by_options":[])"),
     {"/temperature_by_options", "an array"}},
    {"CostsNull", Refusal::kLaya, LAYA(R"("act_costs":null)"), {"/act_costs", "null"}},
    {"CostsNumber", Refusal::kLaya, LAYA(R"("act_costs":2)"), {"/act_costs", "2"}},
    {"ParallelLayout",
     Refusal::kLaya,
     LAYA(R"("option_layout":"parallel")"),
     {"/option_layout", "\"parallel\" layout is not supported"}},
    {"UnknownLayout",
     Refusal::kLaya,
     LAYA(R"("option_layout":"tree")"),
     {"/option_layout", "\"tree\""}},
    {"FiveBits", Refusal::kLaya, LAYA(R"("quantization":{"bits":5})"), {"/quantization/bits", "5"}},
    {"GroupsOf32",
     Refusal::kLaya,
     LAYA(R"("quantization":{"bits":8,"group_size":32})"),
     {"/quantization/group_size", "64", "32"}},
    {"OtherMode",
     Refusal::kLaya,
     LAYA(R"("quantization":{"bits":8,"mode":"mxfp4"})"),
     {"/quantization/mode", "\"mxfp4\""}},
    {"ModuleOverride",
     Refusal::kLaya,
     LAYA(R"("quantization":{"bits":8,"scorer.1":false})"),
     {"/quantization/scorer.1", "not supported"}},
    {"QuantizationList", Refusal::kLaya, LAYA(R"("quantization":[8])"), {"/quantization"}},
    {"NoModelType", Refusal::kEncoder, "{}", {"/model_type", "\"modernbert\""}},
    {"OtherModel", Refusal::kEncoder, R"({"model_type":"deberta-v2"})", {"\"deberta-v2\""}},
    {"ModelTypeNumber", Refusal::kEncoder, R"({"model_type":7})", {"/model_type", "7"}},
    {"HeadsDoNotDivide",
     Refusal::kEncoder,
     MODERN(R"("num_attention_heads":7)"),
     {"/num_attention_heads", "7 heads", "768"}},
    {"OddHead",
     Refusal::kEncoder,
     MODERN(R"("hidden_size":9,"num_attention_heads":3)"),
     {"3 columns", "pairs"}},
    {"OtherHeadDim", Refusal::kEncoder, MODERN(R"("head_dim":128)"), {"/head_dim", "64", "128"}},
    {"HugeWidth", Refusal::kEncoder, MODERN(R"("hidden_size":1000000)"), {"16384", "1000000"}},
    {"NoLayers", Refusal::kEncoder, MODERN(R"("num_hidden_layers":0)"), {"/num_hidden_layers"}},
    {"NegativeVocabulary", Refusal::kEncoder, MODERN(R"("vocab_size":-5)"), {"/vocab_size", "-5"}},
    {"FlatRope",
     Refusal::kEncoder,
     MODERN(R"("rope_parameters":{"rope_theta":160000.0})"),
     {"/rope_parameters/rope_theta", "full_attention"}},
    {"ScaledRope",
     Refusal::kEncoder,
     MODERN(R"("rope_parameters":{"full_attention":{"rope_type":"yarn","rope_theta":1}})"),
     {"/rope_parameters/full_attention/rope_type", "\"yarn\""}},
    {"RopeScaling",
     Refusal::kEncoder,
     MODERN(R"("rope_scaling":{"type":"linear"})"),
     {"/rope_scaling"}},
    {"RopeZero", Refusal::kEncoder, MODERN(R"("global_rope_theta":0)"), {"/global_rope_theta"}},
    {"RopeNaN", Refusal::kEncoder, MODERN(R"("local_rope_theta":NaN)"), {"/local_rope_theta"}},
    {"LayerTypesShort",
     Refusal::kEncoder,
     MODERN(R"("layer_types":["full_attention"])"),
     {"/layer_types", "22", "one of 1"}},
    {"LayerTypesUnknown",
     Refusal::kEncoder,
     MODERN(R"("num_hidden_layers":1,"layer_types":["chunked_attention"])"),
     {"/layer_types", "\"chunked_attention\""}},
    {"EveryZeroLayers",
     Refusal::kEncoder,
     MODERN(R"("global_attn_every_n_layers":0)"),
     {"/global_attn_every_n_layers"}},
    {"MlpBias", Refusal::kEncoder, MODERN(R"("mlp_bias":true)"), {"/mlp_bias", "not supported"}},
    {"Swish",
     Refusal::kEncoder,
     MODERN(R"("hidden_activation":"silu")"),
     {"/hidden_activation", "\"silu\""}},
    {"EpsilonZero", Refusal::kEncoder, MODERN(R"("norm_eps":0)"), {"/norm_eps"}},
    {"EpsilonLarge", Refusal::kEncoder, BERT(R"("layer_norm_eps":2)"), {"/layer_norm_eps"}},
    {"RelativePositions",
     Refusal::kEncoder,
     BERT(R"("position_embedding_type":"relative_key")"),
     {"\"relative_key\""}},
    {"Decoder", Refusal::kEncoder, BERT(R"("is_decoder":true)"), {"/is_decoder"}},
    {"NoMask", Refusal::kTokens, TOKENS(""), {"/mask_token", "special_tokens_map.json"}},
    {"MaskNumber", Refusal::kTokens, TOKENS(R"(,"mask_token":3)"), {"/mask_token", "3"}},
    {"MaskEmpty", Refusal::kTokens, TOKENS(R"(,"mask_token":"")"), {"/mask_token"}},
    {"OtherSide",
     Refusal::kTokens,
     TOKENS(R"(,"mask_token":"m","truncation_side":"up")"),
     {"/truncation_side", "\"up\""}},
};

class Refused : public ::testing::TestWithParam<Refusal> {};
INSTANTIATE_TEST_SUITE_P(Config, Refused, ::testing::ValuesIn(kRefusals),
                         [](const auto& info) { return info.param.name; });

Result<void> ParseKind(const Refusal& refusal) {
  const auto forget = [](auto result) -> Result<void> {
    if (!result) return tl::unexpected(result.error());
    return {};
  };
  if (refusal.file == Refusal::kLaya) return forget(ParseLayaConfig(refusal.text, "c.json"));
  if (refusal.file == Refusal::kEncoder) return forget(ParseEncoderConfig(refusal.text, "c.json"));
  return forget(ParseSpecialTokens(refusal.text, "", "c.json"));
}

TEST_P(Refused, WithFileKeyAndValue) {
  const Result<void> parsed = ParseKind(GetParam());
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, ErrorCode::kModel);
  EXPECT_EQ(parsed.error().path, "c.json");
  for (const char* part : GetParam().message) EXPECT_THAT(parsed.error().message, HasSubstr(part));
}

// A folder like the bundled one, with one file replaced.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::path(::testing::TempDir()) /
              ("dikast_config_test_" + std::to_string(::getpid()))) {
    const std::filesystem::path bundled = DIKAST_SOURCE_DIR "/models/dikast-mini-v1";
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_ / "encoder");
    std::filesystem::create_directories(path_ / "tokenizer");
    for (const char* file :
         {"rl_agent_config.json", "encoder/config.json", "tokenizer/tokenizer_config.json"}) {
      std::filesystem::copy_file(bundled / file, path_ / file);
    }
  }
  ~Folder() { std::filesystem::remove_all(path_); }

  void Write(const char* file, const std::string& text) { std::ofstream(path_ / file) << text; }
  void Remove(const char* file) { std::filesystem::remove(path_ / file); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(LoadConfig, BundledModel) {
  const auto config = LoadConfig(DIKAST_SOURCE_DIR "/models/dikast-mini-v1");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(EncoderWidth(config->encoder), 384u);
  EXPECT_EQ(config->laya.head_layers, 1u);
  EXPECT_EQ(config->laya.quantized_bits, 8u);
  EXPECT_EQ(config->tokens.mask, "[MASK]");
}

TEST(LoadConfig, MissingFilesAreNamed) {
  for (const char* file :
       {"rl_agent_config.json", "encoder/config.json", "tokenizer/tokenizer_config.json"}) {
    Folder folder;
    folder.Remove(file);
    const auto config = LoadConfig(folder.path());
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().path, (folder.path() / file).string());
  }
}

TEST(LoadConfig, TheWidthMustFitTheDecisionHeads) {
  Folder folder;
  folder.Write("encoder/config.json",
               R"({"model_type":"bert","hidden_size":130,"num_attention_heads":1})");
  ASSERT_TRUE(LoadConfig(folder.path()));  // two heads of 65
  folder.Write("encoder/config.json",
               R"({"model_type":"bert","hidden_size":131,"num_attention_heads":1})");
  const auto config = LoadConfig(folder.path());
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message, HasSubstr("131"));
  folder.Write("rl_agent_config.json", R"({"encoder":"e","head_layers":0})");
  EXPECT_TRUE(LoadConfig(folder.path()));  // no layers, no heads
}

TEST(LoadConfig, SpecialTokensMapFillsGaps) {
  Folder folder;
  folder.Write("tokenizer/tokenizer_config.json",
               R"({"cls_token":"c","sep_token":"s","pad_token":"p"})");
  ASSERT_FALSE(LoadConfig(folder.path()));
  folder.Write("tokenizer/special_tokens_map.json", R"({"mask_token":"m"})");
  const auto config = LoadConfig(folder.path());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->tokens.mask, "m");
  folder.Write("tokenizer/special_tokens_map.json", "{");
  EXPECT_EQ(LoadConfig(folder.path()).error().path,
            (folder.path() / "tokenizer/special_tokens_map.json").string());
}

}  // namespace
}  // namespace dikast
