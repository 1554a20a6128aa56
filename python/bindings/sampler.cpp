#include "arrays.hpp"
#include "keywords.hpp"
#include "module.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace adacvar::python {

namespace {

// Smaller calls end before another thread could use the lock.
constexpr std::size_t kLongCall = 1024;

template <class State>
std::string saved(const State& state) {
  std::ostringstream out;
  state.save(out);
  return std::move(out).str();
}

template <class State>
State loaded(const std::string& bytes) {
  std::istringstream in(bytes);
  return State::load(in);
}

/// A sampler with its generator. The mutex keeps threads apart that call it without Python's lock.
class SeededSampler {
  template <class Work>
  decltype(auto) locked(const Work& work) const {
    const std::scoped_lock lock(mutex_);
    return work();
  }

  template <class Work>
  void run(std::size_t size, const Work& work) {
    if (size < kLongCall) {
      locked(work);
      return;
    }
    const py::gil_scoped_release release;
    locked(work);
  }

 public:
  SeededSampler(AdaptiveSampler sampler, const Rng& rng)
      : sampler_(std::move(sampler)), rng_(rng) {}

  [[nodiscard]] std::unique_ptr<SeededSampler> copy() const {
    return locked([this] { return std::make_unique<SeededSampler>(sampler_, rng_); });
  }

  py::array_t<std::int64_t> draw(const py::object& batch) {
    const auto size = static_cast<std::size_t>(count_of(batch, "batch"));
    if (size == 0) throw OptionError("batch = 0: at least one example is drawn");
    auto drawn = py::array_t<std::int64_t>(static_cast<py::ssize_t>(size));
    std::int64_t* const to = drawn.mutable_data();
    run(size, [&] {
      buffer_.resize(size);
      sampler_.draw(rng_, buffer_);
      std::ranges::copy(buffer_, to);
    });
    return drawn;
  }

  void observe(const py::object& indices, const py::object& losses,
               const py::object& probabilities) {
    const std::vector<Index> drawn = indices_of(indices, "indices", size());
    const Numbers seen(losses, "losses");
    const OptionalNumbers given(probabilities, "probabilities");
    if (drawn.size() != seen.span().size()) {
      throw OptionError("indices has " + std::to_string(drawn.size()) + " values, losses has " +
                        std::to_string(seen.span().size()));
    }
    run(drawn.size(), [&] {
      if (probabilities.is_none()) {
        sampler_.observe(drawn, seen.span());
      } else {
        sampler_.observe(drawn, seen.span(), given.span());
      }
    });
  }

  [[nodiscard]] py::array_t<double> probabilities(const py::object& indices) const {
    std::vector<double> found;
    if (indices.is_none()) {
      const py::gil_scoped_release release;
      found = locked([this] { return sampler_.probabilities(); });
    } else {
      const std::vector<Index> wanted = indices_of(indices, "indices", size());
      found.reserve(wanted.size());
      locked([&] {
        for (const Index i : wanted) found.push_back(sampler_.probability(i));
      });
    }
    return to_array(std::move(found));
  }

  [[nodiscard]] py::dict state_dict() const {
    py::dict state;
    state["version"] = 1;
    state["size"] = size();
    locked([&] {
      state["sampler"] = py::bytes(saved(sampler_));
      state["generator"] = py::bytes(saved(rng_));
    });
    return state;
  }

  void load_state_dict(const py::dict& state) {
    const std::unique_ptr<SeededSampler> other = from_state(state);
    if (other->size() != size()) {
      throw DataError("the state is of " + std::to_string(other->size()) +
                      " examples, the sampler has " + std::to_string(size()));
    }
    locked([&] {
      sampler_ = std::move(other->sampler_);
      rng_ = other->rng_;
    });
  }

  static std::unique_ptr<SeededSampler> from_state(const py::dict& state) {
    for (const char* const key : {"sampler", "generator"}) {
      if (!state.contains(key) || !py::isinstance<py::bytes>(state[key])) {
        throw DataError(std::string("the state of the sampler has no bytes '") + key + "'");
      }
    }
    return std::make_unique<SeededSampler>(
        loaded<AdaptiveSampler>(py::cast<std::string>(state["sampler"])),
        loaded<Rng>(py::cast<std::string>(state["generator"])));
  }

  void discount(double factor) {
    const py::gil_scoped_release release;
    locked([&] { sampler_.discount(factor); });
  }
  void set_gamma(double gamma) {
    locked([&] { sampler_.set_gamma(gamma); });
  }

  [[nodiscard]] std::size_t size() const { return sampler_.size(); }
  [[nodiscard]] const AdaptiveSampler& engine() const { return sampler_; }

 private:
  AdaptiveSampler sampler_;
  Rng rng_;
  std::vector<Index> buffer_;
  mutable std::mutex mutex_;
};

std::unique_ptr<SeededSampler> make_sampler(const py::object& n, const py::object& alpha,
                                            const py::object& seed, const py::object& weights,
                                            const py::kwargs& given) {
  AdaptiveSamplerOptions options;
  const std::vector<Keyword> keywords = keywords_of(options);
  py::dict all = given;
  all["alpha"] = alpha;
  set_keywords(keywords, all);
  refuse_unused(keywords, given);
  const auto size = static_cast<std::size_t>(count_of(n, "n"));
  const Rng rng(count_of(seed, "seed"));
  const OptionalNumbers shares(weights, "weights");
  if (!weights.is_none() && shares.span().size() != size) {
    throw OptionError("weights has " + std::to_string(shares.span().size()) +
                      " values, the sampler " + std::to_string(size));
  }
  const py::gil_scoped_release release;
  return std::make_unique<SeededSampler>(AdaptiveSampler(size, options, shares.span()), rng);
}

py::dict options_of(const SeededSampler& sampler) {
  AdaptiveSamplerOptions options = sampler.engine().options();
  py::dict all;
  for (const Keyword& keyword : keywords_of(options)) {
    all[keyword.name().c_str()] = keyword.value();
  }
  return all;
}

std::string sampler_doc() {
  AdaptiveSamplerOptions options;
  std::vector<Keyword> keywords = keywords_of(options);
  const Keyword alpha = keywords.front();
  keywords.erase(keywords.begin());
  return "AdaptiveSampler(n: int" + signature({alpha}) +
         ", *, seed: int = 0, weights: ArrayLike | None = None" + signature(keywords) + R"()

Draws examples with large losses more often, and learns from the losses that it is told.

Example i of n is drawn with probability at most 1 / (alpha n), so that the mean of the losses
drawn tends to the CVaR. Draw a batch, observe its losses, and so on: a batch costs the same for a
thousand examples or a hundred million.

>>> import adacvar
>>> sampler = adacvar.AdaptiveSampler(10, alpha=0.1, eta=0.05, seed=1)
>>> for step in range(100):
...     batch = sampler.draw(4)
...     sampler.observe(batch, [1.0 if i == 7 else 0.1 for i in batch])
>>> round(sampler.probabilities()[7], 2)
0.99

Parameters:
    n: number of examples
)" + help({alpha}) +
         R"(    seed: seed of the draws; the same seed gives the same draws on every platform
    weights: row weights above 0; a row of weight w counts as w rows; None: all 1
)" + help(keywords);
}

}  // namespace

void add_sampler(py::module_& module) {
  py::class_<SeededSampler> sampler(module, "AdaptiveSampler", py::module_local());
  sampler.doc() = sampler_doc();
  const AdaptiveSamplerOptions defaults;
  sampler
      .def(py::init(&make_sampler), py::arg("n"), py::arg("alpha") = defaults.alpha, py::kw_only(),
           py::arg("seed") = 0, py::arg("weights") = py::none())
      .def("draw", &SeededSampler::draw, py::arg("batch"),
           R"(draw(self, batch: int) -> NDArray[np.int64]

Indices of `batch` examples drawn from the distribution, with repeats.
)")
      .def(
          "observe", &SeededSampler::observe, py::arg("indices"), py::arg("losses"),
          py::arg("probabilities") = py::none(),
          R"(observe(self, indices: ArrayLike, losses: ArrayLike, probabilities: ArrayLike | None = None) -> None

Updates the distribution by the losses, >= 0, of the examples drawn.

Call it after each `draw`, before the next; for a batch drawn earlier give the probabilities
that its examples had then: `probabilities(indices)` right after the draw.
)")
      .def("probabilities", &SeededSampler::probabilities, py::arg("indices") = py::none(),
           R"(probabilities(self, indices: ArrayLike | None = None) -> NDArray[np.float64]

Current probabilities of these examples in a draw; of all of them, in O(n), if none are given.
)")
      .def("discount", &SeededSampler::discount, py::arg("factor"),
           R"(discount(self, factor: float) -> None

Forgets: multiplies the log-weights by a factor in [0, 1]; 0 starts anew. Call it between batches.
)")
      .def("set_gamma", &SeededSampler::set_gamma, py::arg("gamma"),
           R"(set_gamma(self, gamma: float) -> None

Sets the share of the uniform distribution from the next draw on.
)")
      .def("state_dict", &SeededSampler::state_dict,
           R"(state_dict(self) -> dict[str, Any]

The complete state, of distribution and generator.
)")
      .def("load_state_dict", &SeededSampler::load_state_dict, py::arg("state"),
           R"(load_state_dict(self, state: dict[str, Any]) -> None

Restores a state of as many examples; the sampler then draws the same indices.
)")
      .def_property_readonly(
          "tail_size", [](const SeededSampler& s) { return s.engine().tail_size(); },
          "int\n\nNumber of examples in the tail: alpha n, rounded down, at least 1.")
      .def_property_readonly(
          "eta", [](const SeededSampler& s) { return s.engine().eta(); },
          "float\n\nStep of the log-weights for the next draw.")
      .def_property_readonly("options", &options_of,
                             "dict[str, Any]\n\nAll options, with the values in use.")
      .def("__len__", &SeededSampler::size)
      .def("__repr__",
           [](const SeededSampler& s) {
             return "AdaptiveSampler(" + std::to_string(s.size()) +
                    ", alpha=" + std::string(py::repr(py::float_(s.engine().options().alpha))) +
                    ")";
           })
      .def("__copy__", &SeededSampler::copy)
      .def("__deepcopy__", [](const SeededSampler& s, const py::dict&) { return s.copy(); })
      .def(py::pickle([](const SeededSampler& s) { return s.state_dict(); },
                      [](const py::dict& state) { return SeededSampler::from_state(state); }));
}

}  // namespace adacvar::python
