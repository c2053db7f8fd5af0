// Ctrl-C and SIGTERM while lines are answered: finish the batch at hand, write it, and stop.
#pragma once

namespace dikast::cli {

// Catches both signals while it lives, unless the parent had them ignored. The first one is noted;
// a second one kills at once. One at a time in a process: signal handlers are global.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The signal that came, or 0.
  int received() const;
  // Becomes readable when a signal comes: to wait for input and signals together.
  int descriptor() const;
};

}  // namespace dikast::cli
