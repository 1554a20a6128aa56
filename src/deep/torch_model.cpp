#include "deep/torch_model.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace adacvar {

namespace {

std::string shape_text(const torch::Tensor& tensor) {
  return fmt::format("{}", fmt::join(tensor.sizes().vec(), " x "));
}

void check_output(const torch::Tensor& output, std::int64_t rows, std::int64_t outputs) {
  const bool flat = outputs == 1 && output.dim() == 1 && output.size(0) == rows;
  const bool full = output.dim() == 2 && output.size(0) == rows && output.size(1) == outputs;
  if ((flat || full) && output.is_floating_point()) return;
  throw OptionError(fmt::format(
      "the network returns {} {} for a batch of {} rows; {} x {} floating-point scores are needed",
      shape_text(output), c10::toString(output.scalar_type()), rows, rows, outputs));
}

void copy_row(const Dataset& data, std::size_t row, float* to) {
  if (!data.is_sparse()) {
    std::memcpy(to, data.dense.data() + row * data.features, data.features * sizeof(float));
    return;
  }
  std::fill_n(to, data.features, 0.0F);
  for (std::size_t e = data.start[row]; e < data.start[row + 1]; ++e) {
    to[data.column[e]] = data.entry(e);
  }
}

// Pixels from outside the image are 0.
void copy_shifted(const ImageShape& shape, const float* from, float* to, int down, int right,
                  bool mirrored) {
  const auto height = static_cast<int>(shape.height);
  const auto width = static_cast<int>(shape.width);
  for (std::size_t c = 0; c < shape.channels; ++c) {
    for (int y = 0; y < height; ++y) {
      const int source_y = y + down;
      float* line = to + (c * shape.height + static_cast<std::size_t>(y)) * shape.width;
      if (source_y < 0 || source_y >= height) {
        std::fill_n(line, width, 0.0F);
        continue;
      }
      const float* source =
          from + (c * shape.height + static_cast<std::size_t>(source_y)) * shape.width;
      for (int x = 0; x < width; ++x) {
        const int source_x = (mirrored ? width - 1 - x : x) + right;
        line[x] = source_x < 0 || source_x >= width ? 0.0F : source[source_x];
      }
    }
  }
}

void copy_augmented(const Dataset& data, std::size_t row, Augment augment, Rng& rng, float* to) {
  constexpr int kMost = 4;
  const int down = static_cast<int>(rng.below(2 * kMost + 1)) - kMost;
  const int right = static_cast<int>(rng.below(2 * kMost + 1)) - kMost;
  const bool mirrored = augment == Augment::crop_flip && rng.below(2) == 1;
  copy_shifted(data.image, data.dense.data() + row * data.features, to, down, right, mirrored);
}

}  // namespace

std::string first_line(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string text =
      torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
  // TorchScript puts the message last, after its own stack trace.
  const std::string marker = "RuntimeError: ";
  const std::size_t at = text.rfind(marker);
  const std::string from = at == std::string::npos ? text : text.substr(at + marker.size());
  return from.substr(0, from.find('\n'));
}

TorchModel::TorchModel(torch::nn::AnyModule module, std::size_t outputs, torch::Device device)
    : module_(std::move(module)), outputs_(outputs), device_(device) {
  std::get<torch::nn::AnyModule>(module_).ptr()->to(device);
  find_type();
}

TorchModel::TorchModel(torch::jit::Module module, std::size_t outputs, torch::Device device)
    : module_(std::move(module)), outputs_(outputs), device_(device) {
  std::get<torch::jit::Module>(module_).to(device);
  if (parameters().empty()) {
    throw OptionError("the network has no trainable parameter");
  }
  find_type();
}

void TorchModel::find_type() {
  for (const torch::Tensor& tensor : parameters()) {
    if (!tensor.is_floating_point()) continue;
    type_ = tensor.scalar_type();
    return;
  }
}

torch::Tensor TorchModel::forward(const torch::Tensor& rows) {
  const torch::Tensor input = rows.to(device_, type_);
  torch::Tensor output;
  try {
    if (auto* script = std::get_if<torch::jit::Module>(&module_)) {
      output = script->forward({input}).toTensor();
    } else {
      output = std::get<torch::nn::AnyModule>(module_).forward<torch::Tensor>(input);
    }
  } catch (const std::exception& error) {
    throw OptionError(fmt::format("the network fails on a batch of {}: {}", shape_text(input),
                                  first_line(error)));
  }
  check_output(output, input.size(0), static_cast<std::int64_t>(outputs_));
  return output;
}

void TorchModel::set_training(bool on) {
  if (auto* script = std::get_if<torch::jit::Module>(&module_)) {
    script->train(on);
  } else {
    std::get<torch::nn::AnyModule>(module_).ptr()->train(on);
  }
}

std::vector<torch::Tensor> TorchModel::parameters() const {
  std::vector<torch::Tensor> result;
  const auto keep = [&](const torch::Tensor& tensor) {
    if (tensor.requires_grad()) result.push_back(tensor);
  };
  if (const auto* script = std::get_if<torch::jit::Module>(&module_)) {
    for (const torch::Tensor& tensor : script->parameters()) keep(tensor);
  } else {
    const auto module = std::get<torch::nn::AnyModule>(module_).ptr();
    for (const torch::Tensor& tensor : module->parameters()) keep(tensor);
  }
  return result;
}

std::vector<torch::Tensor> TorchModel::state() const {
  std::vector<torch::Tensor> result = parameters();
  if (const auto* script = std::get_if<torch::jit::Module>(&module_)) {
    for (const torch::Tensor& tensor : script->buffers()) result.push_back(tensor);
  } else {
    const auto module = std::get<torch::nn::AnyModule>(module_).ptr();
    for (const torch::Tensor& tensor : module->buffers()) result.push_back(tensor);
  }
  return result;
}

TorchModel TorchModel::clone() const {
  if (const auto* script = std::get_if<torch::jit::Module>(&module_)) {
    return {script->deepcopy(), outputs_, device_};
  }
  return {std::get<torch::nn::AnyModule>(module_).clone(), outputs_, device_};
}

void TorchModel::save(std::ostream& out) {
  set_training(false);
  if (auto* script = std::get_if<torch::jit::Module>(&module_)) {
    script->save(out);
    return;
  }
  torch::serialize::OutputArchive archive;
  std::get<torch::nn::AnyModule>(module_).ptr()->save(archive);
  archive.save_to(out);
}

void TorchModel::load(std::istream& in) {
  // libtorch does not check the sizes of loaded tensors.
  const auto sizes = [this] {
    std::vector<std::vector<std::int64_t>> all;
    for (const torch::Tensor& tensor : state()) all.push_back(tensor.sizes().vec());
    return all;
  };
  const auto before = sizes();
  try {
    torch::serialize::InputArchive archive;
    archive.load_from(in, device_);
    std::get<torch::nn::AnyModule>(module_).ptr()->load(archive);
  } catch (const std::exception& error) {
    throw DataError("does not hold the weights of this network: " + first_line(error));
  }
  if (sizes() != before) throw DataError("holds the weights of a network of a different size");
}

torch::Tensor gather(const Dataset& data, std::span<const Index> rows, Augment augment, Rng* rng) {
  const auto count = static_cast<std::int64_t>(rows.size());
  const ImageShape& image = data.image;
  const bool is_image = image.size() > 0;
  torch::Tensor batch = is_image ? torch::empty({count, static_cast<std::int64_t>(image.channels),
                                                 static_cast<std::int64_t>(image.height),
                                                 static_cast<std::int64_t>(image.width)})
                                 : torch::empty({count, static_cast<std::int64_t>(data.features)});
  float* to = batch.data_ptr<float>();
  for (const Index row : rows) {
    if (is_image && augment != Augment::none && rng != nullptr) {
      copy_augmented(data, row, augment, *rng, to);
    } else {
      copy_row(data, row, to);
    }
    to += data.features;
  }
  return batch;
}

void evaluation_scores(TorchModel& model, const Dataset& data, std::span<const Index> rows,
                       std::span<double> scores) {
  // Few enough images that their maps stay in the cache; enough rows of tables that the overhead of
  // an operation does not count.
  const std::size_t most_rows = data.image.size() > 0 ? 256 : 1024;
  const torch::NoGradGuard no_gradients;
  model.set_training(false);
  for (std::size_t start = 0; start < rows.size(); start += most_rows) {
    const auto block = rows.subspan(start, std::min(most_rows, rows.size() - start));
    const torch::Tensor output =
        model.forward(gather(data, block)).to(torch::kCPU, torch::kDouble).contiguous();
    std::copy_n(output.data_ptr<double>(), block.size() * model.outputs(),
                scores.data() + start * model.outputs());
  }
}

}  // namespace adacvar
