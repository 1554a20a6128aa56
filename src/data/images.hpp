#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// Images of one shape with their labels, as stored in files: a byte per pixel, row i starting at i
/// * shape.size().
struct Images {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;  ///< empty: images to predict, without labels
  std::vector<std::string>
      class_names;  ///< names of the labels 0, 1, ...; empty: labels have no names
  std::string source;

  [[nodiscard]] std::size_t rows() const noexcept {
    return pixels.empty() ? 0 : pixels.size() / shape.size();
  }
};

/// Returns the name of `label`, or its number if it has none.
[[nodiscard]] std::string label_name(const Images& images, std::uint8_t label);

/// Returns channels, height and width as text: `1 x 28 x 28`.
[[nodiscard]] std::string shape_text(const ImageShape& shape);

/// Reads the idx files of MNIST: images (magic 0x00000803: count, height, width, bytes) and labels
/// (0x00000801: count, bytes); plain or compressed by gzip or xz. With `class_names` a label beyond
/// them is an error.
/// Throws: DataError, with the file, when it cannot be read, is not an idx file of that kind,
/// differs in length from its header, or when counts or labels do not match.
[[nodiscard]] Images read_idx(const std::filesystem::path& images_path,
                              const std::filesystem::path& labels_path,
                              std::vector<std::string> class_names = {});

/// Reads and concatenates batches of CIFAR-10 in binary format: records of 3073 bytes, a label 0 to
/// 9, then 3 x 32 x 32 pixels channel by channel; plain or compressed. Throws: DataError.
[[nodiscard]] Images read_cifar(std::span<const std::filesystem::path> paths);

/// The same for bytes in memory; `source` is their name in messages.
[[nodiscard]] Images parse_cifar(std::string_view bytes, const std::string& source);

/// Finds the file of labels for a file of images: in the same folder, with `images` in its name
/// replaced by `labels` and `idx3` by `idx1`, plain or compressed.
/// Throws: DataError when the name has no `images`, or when there is no such file.
[[nodiscard]] std::filesystem::path find_labels_file(const std::filesystem::path& images_path);

/// Appends the rows of `more` to `images`; shapes and class names must agree. Throws: DataError.
void append_images(Images& images, const Images& more);

/// Mean and standard deviation (population) of a channel's pixels, each divided by 255.
struct ChannelMoments {
  double mean = 0;
  double sd = 0;
};

/// Returns the moments of each channel over `rows`. Cost: one pass.
[[nodiscard]] std::vector<ChannelMoments> channel_moments(const Images& images,
                                                          std::span<const Index> rows);

}  // namespace adacvar
