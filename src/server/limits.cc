#include "dikast/server.h"

namespace dikast {
namespace {

// Milliseconds: 31 years still fit a clock that counts nanoseconds.
constexpr uint64_t kAny = 1'000'000'000'000;
using L = ServerLimits;

constexpr LimitRow kTable[] = {
    {"header-bytes", &L::header_bytes, 1024, 1 << 20, "bytes of a request's head"},
    {"body-bytes", &L::body_bytes, 1024, 1 << 30, "bytes of a request's body as sent"},
    {"decoded-bytes", &L::decoded_bytes, 1024, 1 << 30, "bytes of a zstd or gzip body, decoded"},
    {"held-bytes", &L::held_bytes, 1024, 1ull << 40, "bytes of all bodies that are not parsed yet"},
    {"max-depth", &L::depth, 4, 128, "nesting of a body's JSON"},
    {"max-values", &L::values, 16, 100'000'000, "values of a body's JSON"},
    {"max-string-bytes", &L::string_bytes, 64, 1 << 30, "bytes of one string or key, decoded"},
    {"max-questions", &L::questions, 1, 100'000, "questions of one request"},
    {"max-options", &L::options, 2, 255, "options of one question"},
    {"max-states", &L::states, 1, 100'000, "states of one batch request"},
    {"batch-tokens", &L::batch_tokens, 1, 1 << 20, "tokens of one forward pass"},
    {"queue-requests", &L::queue_requests, 1, 1 << 20, "requests that wait or are being answered"},
    {"queue-tokens", &L::queue_tokens, 1, 1ull << 32, "tokens that wait"},
    {"longest-wait-ms", &L::longest_wait_ms, 1, kAny,
     "expected wait at which a request is refused"},
    {"deadline-ms", &L::deadline_ms, 1, kAny, "age at which a waiting request is dropped"},
    {"connections", &L::connections, 1, 1 << 20, "open connections; beyond, the idlest is closed"},
    {"idle-ms", &L::idle_ms, 1, kAny, "time a connection may idle between requests"},
    {"read-ms", &L::read_ms, 1, kAny, "time to send one request"},
    {"write-ms", &L::write_ms, 1, kAny, "time to receive one answer"},
    {"drain-ms", &L::drain_ms, 0, kAny, "time for the answers under way after SIGTERM"},
    {"key-rate", &L::key_rate, 0, kAny, "requests a second and key; 0: no limit"},
    {"key-burst", &L::key_burst, 1, kAny, "requests that a key may make at once after a pause"},
    {"key-in-flight", &L::key_in_flight, 0, kAny, "requests of one key at a time; 0: no limit"},
};

}  // namespace

std::span<const LimitRow> LimitTable() { return kTable; }

}  // namespace dikast
