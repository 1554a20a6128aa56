#include "run/best_training.hpp"

#include "base/parallel.hpp"
#include "run/assign_folds.hpp"
#include "run/fold_store.hpp"
#include "solver/problem.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace adacvar {

namespace {

using Clock = std::chrono::steady_clock;
using Scores = std::vector<double>;

// Shares of a limit on the time; the rest is for the correction and for scoring.
constexpr double kFirstKind = 0.5;
constexpr double kTraining = 0.67;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Trains every kind in every fold.
class FoldTraining {
 public:
  FoldTraining(const BestTask& task, TimeLimit& limit)
      : task_(task),
        limit_(limit),
        store_(task.options, task.data.prepared, task.loss,
               {task.train.features, task.data.expanded.features, task.outputs},
               task.hooks.networks),
        fold_(assign_folds(task.train, task.options.folds, task.options.seed)),
        threads_(task.options.threads > 0 ? static_cast<unsigned>(task.options.threads)
                                          : std::max(1U, std::thread::hardware_concurrency())),
        workers_(std::min<std::size_t>(threads_, task.options.folds)) {}

  FoldedBases run() {
    for (std::size_t k = 0; k < task_.kinds.size(); ++k) {
      if (!train_kind(k)) break;
    }
    return std::move(found_);
  }

 private:
  struct Rows {
    std::vector<Index> training;
    std::vector<Index> held_out;
  };

  [[nodiscard]] Rows rows_of_fold(std::size_t fold) const {
    Rows rows;
    for (std::size_t i = 0; i < task_.train.rows; ++i) {
      (fold_[i] == fold ? rows.held_out : rows.training).push_back(static_cast<Index>(i));
    }
    return rows;
  }

  [[nodiscard]] FoldRows fold_rows(std::span<const Index> rows, bool is_expanded) const {
    if (is_expanded) {
      FoldRows result{.native = {}, .expanded = rows_of(task_.data.expanded, rows)};
      result.native.task = task_.train.task;
      return result;
    }
    return {.native = rows_of(task_.train, rows), .expanded = {}};
  }

  // Folds before `end` may last until then.
  void set_limit(std::size_t kind, std::size_t end) {
    const double folds = static_cast<double>(task_.options.folds);
    limit_.allow_until(kind == 0 ? kFirstKind * static_cast<double>(end) / folds : kTraining);
  }

  [[nodiscard]] bool is_over(std::size_t kind) const {
    return kind == 0 ? limit_.is_stopped() : limit_.is_over();
  }

  // Returns false if it was stopped before all folds were done.
  bool train_kind(std::size_t number) {
    const BaseKind& kind = task_.kinds[number];
    const auto begin = Clock::now();
    StackBase base{.name = kind.name, .is_expanded = kind.is_expanded, .folds = {}};
    Scores held_out(task_.train.rows * task_.outputs);
    const std::size_t folds = task_.options.folds;
    for (std::size_t first = 0; first < folds; first += workers_) {
      const std::size_t end = std::min(folds, first + workers_);
      set_limit(number, end);
      if (is_over(number)) return false;
      for (std::size_t fold = first; fold < end; ++fold) show(number, fold);
      base.folds.resize(end);
      std::atomic<bool> is_cut = false;
      for_each_block(end - first, static_cast<unsigned>(workers_), [&](std::size_t i) {
        const Rows rows = rows_of_fold(first + i);
        if (!add_fold(kind, first + i, rows, base)) is_cut = true;
        score_fold(*base.folds[first + i], kind.is_expanded, rows.held_out, held_out);
      });
      if (is_cut && (number > 0 || limit_.is_stopped())) return false;
      found_.is_cut |= is_cut;
    }
    found_.bases.push_back(std::move(base));
    found_.held_out.push_back(std::move(held_out));
    found_.seconds.push_back(seconds_since(begin));
    return true;
  }

  // Returns false if its training was stopped.
  bool add_fold(const BaseKind& kind, std::size_t fold, const Rows& rows, StackBase& base) const {
    std::shared_ptr<const Scorer>& model = base.folds[fold];
    model = store_.find(kind.name, fold);
    if (model) return true;
    model = train_fold(kind, fold, rows);
    if (limit_.is_over()) return false;
    store_.keep(kind.name, fold, *model);
    return true;
  }

  void show(std::size_t number, std::size_t fold) const {
    if (!task_.hooks.progress) return;
    task_.hooks.progress({.base = task_.kinds[number].name,
                          .fold = fold,
                          .done = number * task_.options.folds + fold,
                          .models = task_.kinds.size() * task_.options.folds});
  }

  [[nodiscard]] std::shared_ptr<const Scorer> train_fold(const BaseKind& kind, std::size_t fold,
                                                         const Rows& rows) const {
    const FoldRows training = fold_rows(rows.training, kind.is_expanded);
    const FoldRows held_out = fold_rows(rows.held_out, kind.is_expanded);
    return kind.train(
        {.training = training,
         .held_out = held_out,
         .loss = task_.loss,
         .options = task_.options,
         .hooks = task_.hooks,
         .seed = task_.options.seed * 1'000'003 + fold,
         .plain = kind.follows_plain ? found_.bases.back().folds[fold].get() : nullptr,
         .stop = &limit_.flag()});
  }

  void score_fold(const Scorer& model, bool is_expanded, std::span<const Index> rows,
                  Scores& to) const {
    const std::size_t outputs = task_.outputs;
    Scores scores(rows.size() * outputs);
    model.scores(is_expanded ? task_.data.expanded : task_.train, rows, scores);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t c = 0; c < outputs; ++c) {
        to[rows[i] * outputs + c] = scores[i * outputs + c];
      }
    }
  }

  const BestTask& task_;
  TimeLimit& limit_;
  FoldStore store_;
  std::vector<std::size_t> fold_;
  unsigned threads_;
  std::size_t workers_;  // folds that are trained at once
  FoldedBases found_;
};

}  // namespace

FoldedBases train_bases(const BestTask& task, TimeLimit& limit) {
  return FoldTraining(task, limit).run();
}

}  // namespace adacvar
