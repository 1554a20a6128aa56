#include "run/training_rows.hpp"

#include <algorithm>

namespace adacvar {

SourceOptions training_source(const TrainedModel& model, SourceOptions options) {
  options.categorical = model.reading.categorical;
  options.drop = model.reading.drop;
  options.decimal = model.reading.decimal;
  options.missing = model.reading.missing;
  return options;
}

Split training_split(const TrainedModel& model, const RawData& whole) {
  return split_data(whole, model.preprocessor.parts().target, model.task, model.shares,
                    model.options.seed, model.preprocessor.parts().weight);
}

bool has_seen(const TrainedModel& model, const std::string& data, const SourceOptions& source,
              std::size_t raw_rows, std::span<const Index> rows) {
  if (data == "-" || raw_rows != model.fingerprint.rows) return false;
  const RawData whole = read_data(data, training_source(model, source));
  if (fingerprint_of(whole) != model.fingerprint) return false;
  std::vector<Index> test = training_split(model, whole).test;
  std::ranges::sort(test);
  return !std::ranges::all_of(rows,
                              [&](Index row) { return std::ranges::binary_search(test, row); });
}

}  // namespace adacvar
