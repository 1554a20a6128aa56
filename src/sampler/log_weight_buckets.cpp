#include "sampler/log_weight_buckets.hpp"

#include "base/portable_math.hpp"
#include "base/vector.hpp"
#include "sampler/chebyshev_sums.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace adacvar {

namespace {

constexpr std::size_t kNodes = LogWeightBuckets::kNodes;
constexpr std::size_t kPerCell = LogWeightBuckets::kBucketsPerCell;

// e^-28 < 1e-12: p is 0 or 1 to the stated precision this far from nu. The margin is how far nu may
// move before the window follows.
constexpr int kReach = 28;
constexpr int kMargin = 4;

// Changes of the sums are collected and applied together, in a separate loop.
constexpr std::size_t kChangesAtOnce = 512;

std::int64_t floor_to_int(double value) noexcept {
  const auto truncated = static_cast<std::int64_t>(value);
  return truncated - (value < static_cast<double>(truncated) ? 1 : 0);
}

std::int64_t bucket_of(double x) noexcept {
  return floor_to_int(x * static_cast<double>(kPerCell));
}

double clamp_log_weight(double x) noexcept {
  return std::clamp(x, -LogWeightBuckets::kMaxLogWeight, LogWeightBuckets::kMaxLogWeight);
}

// Where the window of buckets begins, and its length.
struct Window {
  std::int32_t first_cell;
  std::int32_t cells;
};

// Computes for each log-weight its cell, counted from the first of the window, its bin, and its
// position in the cell, scaled to [-1, 1] for the Chebyshev polynomials.
ADACVAR_WIDE void locate(const double* x, std::size_t count, Window window, std::int32_t* cells,
                         std::int32_t* bins, double* t) {
  const std::int32_t first_bucket = 4 * window.first_cell;
  const std::int32_t buckets = 4 * window.cells;
  for (std::size_t j = 0; j < count; ++j) {
    const double scaled = x[j] * static_cast<double>(kPerCell);
    const auto truncated = static_cast<std::int32_t>(scaled);  // |scaled| <= 4e5
    const std::int32_t bucket = truncated - (scaled < static_cast<double>(truncated) ? 1 : 0);
    const std::int32_t cell = bucket >> 2;
    cells[j] = cell - window.first_cell;
    t[j] = 2.0 * (x[j] - static_cast<double>(cell)) - 1.0;
    std::int32_t place = bucket - first_bucket;
    place = place < -1 ? -1 : place;
    bins[j] = 1 + (place > buckets ? buckets : place);
  }
}
static_assert(kPerCell == 4);

// The bins of a run of cells, four each; those of an empty cell get no bounds, as they have no
// mass.
ADACVAR_WIDE void bound_bins(const double* decays, const double* sizes, std::size_t cells,
                             double scale, double* bounds, double* masses) {
  static_assert(kPerCell == 4);
  for (std::size_t c = 0; c < cells; ++c) {
    Vec4 mass{};
    Vec4 size;
    std::memcpy(&size, sizes + c * kPerCell, sizeof(size));
    if (sum_lanes(size) != 0.0) {
      Vec4 decay;
      std::memcpy(&decay, decays + c * kPerCell, sizeof(decay));
      const Vec4 bound = 1.0 / (1.0 + scale * decay);
      mass = bound * size;
      std::memcpy(bounds + c * kPerCell, &bound, sizeof(bound));
    }
    std::memcpy(masses + c * kPerCell, &mass, sizeof(mass));
  }
}

}  // namespace

LogWeightBuckets::LogWeightBuckets(std::span<const double> log_weights, double target,
                                   std::shared_ptr<const WeightClasses> weights)
    : target_(target), weights_(std::move(weights)) {
  allocate(log_weights.size());
  // Weights far from 0 but near each other must not saturate.
  std::vector<WeightedValue> values(log_weights.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = {log_weights[i], weight(static_cast<Index>(i))};
  }
  const double middle = middle_of(std::move(values));
  const double shift = std::abs(middle) > kMaxTilt ? middle : 0.0;
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    items_[i].x = clamp_log_weight(log_weights[i] - shift);
  }
  tilt_ = -(middle - shift);
  first_cell_ = wanted_first_cell(tilt_);
  fill_bins();
  solve_tilt();
}

LogWeightBuckets::LogWeightBuckets(std::size_t size, double target,
                                   std::shared_ptr<const WeightClasses> weights)
    : target_(target), weights_(std::move(weights)) {
  allocate(size);
  const double share = target / total();
  tilt_ = portable::log(share / (1.0 - share));
  first_cell_ = wanted_first_cell(tilt_);
  fill_bins();
  solve_tilt();
}

void LogWeightBuckets::allocate(std::size_t size) {
  items_.resize(size);
  if (weights_ != nullptr) {
    slots_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      items_[i].weight = weights_->weight(static_cast<Index>(i));
    }
  }
  assert(target_ > 0 && target_ < total());
  // Below nu the window must extend as far as the many light items together matter.
  const double light = portable::log(total() / target_);
  cells_below_ = static_cast<std::size_t>(kReach + kMargin) + static_cast<std::size_t>(light) + 1;
  cells_ = cells_below_ + kReach + kMargin;

  if (weights_ != nullptr) {
    classes_ = weights_->count();
    line_size_ = weights_->line_size();
    bin_masses_.assign(bin_count(), 0.0);
    mass_changed_.assign(bin_count(), 0);
  }
  lists_.resize(bin_count() * classes_);
  list_sizes_.assign(lists_.size(), 0.0);
  if (weights_ != nullptr) {
    list_starts_.assign(bin_count() * line_size_, std::numeric_limits<double>::infinity());
  }
  // The last chunk of each list is partly empty; small chunks for few items limit the waste.
  chunk_shift_ = static_cast<unsigned>(
      std::clamp(static_cast<int>(std::bit_width(size / (8 * lists_.size()))), 4, 12));
  chunk_mask_ = (std::uint32_t{1} << chunk_shift_) - 1;
  const std::size_t chunks = (size >> chunk_shift_) + std::min(size, lists_.size());
  pool_.resize(chunks << chunk_shift_);
  free_chunks_.resize(chunks);
  for (std::size_t c = 0; c < chunks; ++c) {
    free_chunks_[c] = static_cast<std::uint32_t>(chunks - 1 - c);
  }

  moments_.assign(cells_ * kNodes, 0.0);
  node_weights_.assign(cells_ * kNodes, 0.0);
  cell_changed_.assign(cells_, 0);
  changes_.resize(kChangesAtOnce + 1);
  node_decay_.resize(cells_ * kNodes);
  for (std::size_t g = 0; g < node_decay_.size(); ++g) {
    node_decay_[g] = portable::exp(-node_position_from_first(g));
  }
  edge_decay_.resize(bin_count());
  for (std::size_t b = 0; b < edge_decay_.size(); ++b) {
    edge_decay_[b] = portable::exp(-static_cast<double>(b) / static_cast<double>(kPerCell));
  }
  edge_decay_.back() = 0.0;
}

void LogWeightBuckets::clear_bins() {
  for (List& list : lists_) {
    free_chunks_.insert(free_chunks_.end(), list.chunks.rbegin(), list.chunks.rend());
    list.chunks.clear();
    list.count = 0;
  }
  std::ranges::fill(list_sizes_, 0.0);
  std::ranges::fill(mass_changed_, char{1});
  weight_above_ = 0.0;
}

void LogWeightBuckets::fill_bins() {
  clear_bins();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    append(bin_of(items_[i].x), static_cast<Index>(i));
  }
  recompute_moments();
}

std::size_t LogWeightBuckets::bin_of(double x) const noexcept {
  const std::int64_t place = bucket_of(x) - first_cell_ * static_cast<std::int64_t>(kPerCell);
  const auto buckets = static_cast<std::int64_t>(cells_ * kPerCell);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(place, -1, buckets) + 1);
}

double LogWeightBuckets::upper_edge(std::size_t bin) const noexcept {
  if (bin + 1 == bin_count()) return std::numeric_limits<double>::infinity();
  return static_cast<double>(first_cell_) +
         static_cast<double>(bin) / static_cast<double>(kPerCell);
}

double LogWeightBuckets::node_position(std::size_t node) const noexcept {
  return static_cast<double>(first_cell_) + node_position_from_first(node);
}

// Records a change of the weight of a bin's items.
inline void LogWeightBuckets::note_weight(std::size_t bin, double change) {
  mass_changed_[bin] = 1;
  if (bin + 1 == bin_count()) weight_above_ += change;
}

void LogWeightBuckets::append(std::size_t bin, Index i) {
  const std::size_t list = list_of(bin, i);
  List& to = lists_[list];
  const std::uint32_t slot = to.count++;
  list_sizes_[list] += 1.0;
  if (weights_ != nullptr) note_weight(bin, weight(i));
  if ((slot & chunk_mask_) == 0) {
    to.chunks.push_back(free_chunks_.back());
    free_chunks_.pop_back();
  }
  pool_[place(list, slot)] = i;
  slot_of(i) = slot;
}

void LogWeightBuckets::remove(std::size_t bin, Index i) {
  const std::size_t list = list_of(bin, i);
  const std::uint32_t slot = slot_of(i);
  List& from = lists_[list];
  const std::uint32_t last = --from.count;
  list_sizes_[list] -= 1.0;
  if (weights_ != nullptr) note_weight(bin, -weight(i));
  const Index moved = *slot_address(list, last);
  pool_[place(list, slot)] = moved;
  slot_of(moved) = slot;
  if ((last & chunk_mask_) == 0) {
    free_chunks_.push_back(from.chunks.back());
    from.chunks.pop_back();
  }
}

void LogWeightBuckets::move_all(std::size_t from, std::size_t to) {
  for (std::size_t list = from * classes_; list < (from + 1) * classes_; ++list) {
    while (lists_[list].count > 0) {
      const Index i = *slot_address(list, lists_[list].count - 1);
      remove(from, i);
      append(to, i);
    }
  }
}

// One more item. `changes_` has room for one more than kChangesAtOnce.
inline void LogWeightBuckets::note_moments(Index i) {
  std::int32_t place;
  std::int32_t bin;
  double t;
  locate(&items_[i].x, 1,
         {static_cast<std::int32_t>(first_cell_), static_cast<std::int32_t>(cells_)}, &place, &bin,
         &t);
  const auto cell = static_cast<std::size_t>(place);  // huge below the window
  changes_[changed_] = {.t = t, .factor = weight(i), .cell = cell};
  changed_ += cell < cells_ ? 1 : 0;
  if (changed_ >= kChangesAtOnce) apply_moments();
}

void LogWeightBuckets::apply_moments() {
  add_chebyshev(moments_.data(), changes_.data(), changed_, cell_changed_.data());
  changed_ = 0;
}

void LogWeightBuckets::recompute_moments() {
  std::ranges::fill(moments_, 0.0);
  std::ranges::fill(cell_changed_, char{1});
  for (std::size_t i = 0; i < items_.size(); ++i) note_moments(static_cast<Index>(i));
  apply_moments();
  if (weights_ != nullptr) sum_weight_above();
  updates_since_refresh_ = 0;
}

void LogWeightBuckets::add(std::span<const Index> indices, std::span<const double> steps,
                           std::span<double> before, std::span<double> after) {
  for (std::size_t j = 0; j < indices.size(); ++j) {
    Item& item = items_[indices[j]];
    before[j] = item.x;
    after[j] = item.x = clamp_log_weight(item.x + steps[j]);
  }
  moves_.clear();
  constexpr std::size_t kBlock = kChangesAtOnce / 2;
  for (std::size_t start = 0; start < indices.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, indices.size() - start);
    note_steps(indices.subspan(start, count), before.subspan(start, count),
               after.subspan(start, count));
  }
  if (weights_ != nullptr) prefetch_lists();
  for (const Move& move : moves_) {
    __builtin_prefetch(&slot_of(move.item), 1);
    prefetch_filler(list_of(move.from, move.item));
  }
  for (const Move& move : moves_) {
    --lists_[list_of(move.from, move.item)].leaving;
    remove(move.from, move.item);
    append(move.to, move.item);
  }
  updates_since_refresh_ += indices.size();
}

// Changes and moves are always written but only counted if they apply, since branches on whether an
// item is in the window, or leaves its bin, would be mispredicted.
void LogWeightBuckets::note_steps(std::span<const Index> indices, std::span<const double> before,
                                  std::span<const double> after) {
  constexpr std::size_t kBlock = kChangesAtOnce / 2;
  std::array<std::int32_t, kBlock> old_cells, old_bins;
  std::array<std::int32_t, kBlock> new_cells, new_bins;
  std::array<double, kBlock> old_t;
  std::array<double, kBlock> new_t;
  const std::size_t count = indices.size();
  const Window window{static_cast<std::int32_t>(first_cell_), static_cast<std::int32_t>(cells_)};
  locate(before.data(), count, window, old_cells.data(), old_bins.data(), old_t.data());
  locate(after.data(), count, window, new_cells.data(), new_bins.data(), new_t.data());
  const std::size_t known_moves = moves_.size();
  moves_.resize(known_moves + count);
  // Local copies, which the loop's stores cannot alias, stay in registers.
  Move* move = moves_.data() + known_moves;
  MomentChange* change = changes_.data();
  const std::size_t cells = cells_;
  for (std::size_t j = 0; j < count; ++j) {
    const auto old_cell = static_cast<std::size_t>(old_cells[j]);  // huge below the window
    const auto new_cell = static_cast<std::size_t>(new_cells[j]);
    const double factor = weight(indices[j]);
    *change = {.t = old_t[j], .factor = -factor, .cell = old_cell};
    change += old_cell < cells ? 1 : 0;
    *change = {.t = new_t[j], .factor = factor, .cell = new_cell};
    change += new_cell < cells ? 1 : 0;
    const auto from = static_cast<std::uint32_t>(old_bins[j]);
    const auto to = static_cast<std::uint32_t>(new_bins[j]);
    *move = {.item = indices[j], .from = from, .to = to};
    move += from != to ? 1 : 0;
  }
  moves_.resize(static_cast<std::size_t>(move - moves_.data()));
  changed_ = static_cast<std::size_t>(change - changes_.data());
  apply_moments();
}

// A lazy common factor would make buckets and nodes of a width that depends on it; a pass is
// simple, and one per epoch costs less than the epoch's draws.
void LogWeightBuckets::multiply(double factor) {
  scale(factor);
  solve_tilt();
}

void LogWeightBuckets::scale(double factor) {
  for (Item& item : items_) item.x *= factor;
  tilt_ *= factor;  // a guess: the border of the tail moves with the log-weights
  first_cell_ = wanted_first_cell(tilt_);
  fill_bins();
}

// With row weights there are thousands of lists, too many for the nearest cache: those of the moves
// are fetched, then the ends of their items.
void LogWeightBuckets::prefetch_lists() {
  for (const Move& move : moves_) {
    __builtin_prefetch(&lists_[list_of(move.from, move.item)], 1);
    __builtin_prefetch(&lists_[list_of(move.to, move.item)], 1);
  }
  const auto prefetch_end = [this](std::size_t list) {
    const std::uint32_t count = lists_[list].count;
    if (count > 0) __builtin_prefetch(slot_address(list, count - 1), 1);
  };
  for (const Move& move : moves_) {
    prefetch_end(list_of(move.from, move.item));
    prefetch_end(list_of(move.to, move.item));
  }
}

// A removed item is replaced by the list's last item, whose slot then changes: it is prefetched.
// Items added to the list meanwhile make this a guess.
inline void LogWeightBuckets::prefetch_filler(std::size_t list) {
  List& from = lists_[list];
  const std::uint32_t leaving = ++from.leaving;
  if (leaving <= from.count) {
    __builtin_prefetch(&slot_of(*slot_address(list, from.count - leaving)), 1);
  }
}

void LogWeightBuckets::refresh_node_weights() {
  transform_changed(moments_.data(), cells_, cell_changed_.data(), node_weights_.data());
}

void LogWeightBuckets::sum_weight_above() {
  weight_above_ = 0.0;
  for (std::size_t list = lists_.size() - classes_; list < lists_.size(); ++list) {
    for (std::uint32_t slot = 0; slot < lists_[list].count; ++slot) {
      weight_above_ += weight(*slot_address(list, slot));
    }
  }
}

void LogWeightBuckets::refresh_masses() {
  for (std::size_t bin = 0; bin < mass_changed_.size(); ++bin) {
    if (mass_changed_[bin] == 0) continue;
    mass_changed_[bin] = 0;
    double* const starts = &list_starts_[bin * line_size_];
    starts[0] = 0.0;
    for (std::size_t c = 0; c < classes_; ++c) {
      starts[c + 1] = starts[c] + list_sizes_[bin * classes_ + c] * weights_->bounds()[c];
    }
    bin_masses_[bin] = starts[classes_];
  }
}

std::span<const double> LogWeightBuckets::node_weights() {
  refresh_node_weights();
  return node_weights_;
}

TiltSums LogWeightBuckets::evaluate(double tilt) {
  refresh_node_weights();
  NodeSums sums;
  sum_over_nodes(node_weights_.data(), node_decay_.data(), moments_.data(), cells_,
                 portable::exp(-(static_cast<double>(first_cell_) + tilt)), &sums);
  return {
      .value = sum_lanes(sums.value) + (weights_ != nullptr ? weight_above_ : list_sizes_.back()),
      .first = sum_lanes(sums.first),
      .second = sum_lanes(sums.second),
      .third = sum_lanes(sums.third)};
}

void LogWeightBuckets::bound_marginals(std::span<double> bounds, std::span<double> masses) const {
  const double scale = portable::exp(-(static_cast<double>(first_cell_) + tilt_));
  const double* const sizes = weights_ != nullptr ? bin_masses_.data() : list_sizes_.data();
  bound_bins(&edge_decay_[1], sizes + 1, cells_, scale, &bounds[1], &masses[1]);
  for (const std::size_t end : {std::size_t{0}, bin_count() - 1}) {
    bounds[end] = 1.0 / (1.0 + scale * edge_decay_[end]);
    masses[end] = bounds[end] * sizes[end];
  }
}

std::int64_t LogWeightBuckets::wanted_first_cell(double tilt) const noexcept {
  return floor_to_int(-tilt + 0.5) - static_cast<std::int64_t>(cells_below_);
}

void LogWeightBuckets::keep_window_around(double tilt) {
  const std::int64_t wanted = wanted_first_cell(tilt);
  if (std::abs(wanted - first_cell_) > kMargin) shift_window(wanted);
}

void LogWeightBuckets::shift_window(std::int64_t first_cell) {
  const std::int64_t by = first_cell - first_cell_;
  const std::size_t above = bin_count() - 1;
  const auto steps = static_cast<std::size_t>(
      std::min<std::int64_t>(std::abs(by), static_cast<std::int64_t>(cells_)));
  const auto classes = static_cast<std::ptrdiff_t>(classes_);
  const auto places = static_cast<std::ptrdiff_t>(steps * kPerCell * classes_);
  const auto rotate_lists = [&](auto& values) {
    const auto begin = values.begin() + classes;
    const auto end = values.end() - classes;
    std::rotate(begin, by > 0 ? begin + places : end - places, end);
  };
  const auto shift_cells = [steps](const auto& begin, const auto& end) {
    // The cells that enter are empty until items are pulled in.
    const auto nodes = static_cast<std::ptrdiff_t>(steps * kNodes);
    std::copy(begin + nodes, end, begin);
    std::fill(end - nodes, end, 0.0);
  };
  const std::size_t leave_to = by > 0 ? 0 : above;
  for (std::size_t b = 0; b < steps * kPerCell; ++b) {
    move_all(by > 0 ? 1 + b : above - 1 - b, leave_to);
  }
  rotate_lists(lists_);
  rotate_lists(list_sizes_);
  std::ranges::fill(mass_changed_, char{1});
  if (by > 0) {
    shift_cells(moments_.begin(), moments_.end());
  } else {
    shift_cells(moments_.rbegin(), moments_.rend());
  }
  first_cell_ = first_cell;
  std::ranges::fill(cell_changed_, char{1});
  pull_into_window(above - leave_to);
}

void LogWeightBuckets::pull_into_window(std::size_t from) {
  for (std::size_t list = from * classes_; list < (from + 1) * classes_; ++list) {
    for (std::uint32_t slot = 0; slot < lists_[list].count;) {
      const Index i = *slot_address(list, slot);
      const std::size_t to = bin_of(items_[i].x);
      if (to == from) {
        ++slot;
        continue;
      }
      remove(from, i);
      append(to, i);
      note_moments(i);
    }
  }
  apply_moments();
}

// The k-DPP does not depend on a constant common to all log-weights. Every item stays in its bin:
// near the window the subtraction is exact, and elsewhere rounding does not move an item into it.
// Cost: O(N), after nu has moved by 1e4.
double LogWeightBuckets::recentre() {
  const double shift = std::floor(-tilt_);
  subtract(shift);
  return shift;
}

void LogWeightBuckets::subtract(double shift) {
  for (Item& item : items_) item.x = clamp_log_weight(item.x - shift);
  tilt_ += shift;
  first_cell_ -= static_cast<std::int64_t>(shift);
}

std::size_t LogWeightBuckets::memory_bytes() const noexcept {
  std::size_t bytes =
      sizeof(*this) + items_.capacity() * sizeof(Item) + slots_.capacity() * sizeof(std::uint32_t) +
      pool_.capacity() * sizeof(Index) + free_chunks_.capacity() * sizeof(std::uint32_t) +
      lists_.capacity() * sizeof(List) + cell_changed_.capacity() + mass_changed_.capacity() +
      changes_.capacity() * sizeof(MomentChange) + moves_.capacity() * sizeof(Move);
  for (const List& list : lists_) bytes += list.chunks.capacity() * sizeof(std::uint32_t);
  return bytes +
         sizeof(double) * (moments_.capacity() + node_weights_.capacity() + node_decay_.capacity() +
                           edge_decay_.capacity() + list_sizes_.capacity() +
                           bin_masses_.capacity() + list_starts_.capacity());
}

}  // namespace adacvar
