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

/// Images of one shape with a label each, as files hold them: a byte per pixel, row i from
/// i * shape.size() on.
struct Images {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint8_t> labels;
  std::vector<std::string> class_names;  ///< of the labels 0, 1, ...; empty: they have none
  std::string source;

  [[nodiscard]] std::size_t rows() const noexcept { return labels.size(); }
};

/// What `label` is called: its name, or its number where it has none.
[[nodiscard]] std::string label_name(const Images& images, std::uint8_t label);

/// `1 x 28 x 28`: channels, height, width.
[[nodiscard]] std::string shape_text(const ImageShape& shape);

/// Reads the idx files of MNIST: images (magic 0x00000803: count, height, width, bytes) and
/// labels (0x00000801: count, bytes); plain or packed by gzip or xz. With `class_names` a label
/// beyond them is an error.
/// Throws: DataError with the file and what is wrong with it: it cannot be read, is no idx file of
/// that kind, has another length than its header says, or counts or labels do not fit.
[[nodiscard]] Images read_idx(const std::filesystem::path& images_path,
                              const std::filesystem::path& labels_path,
                              std::vector<std::string> class_names = {});

/// Reads batches of CIFAR-10 in its binary form, one below the other: records of 3073 bytes, a
/// label 0 to 9, then 3 x 32 x 32 pixels channel by channel; plain or packed. Throws: DataError.
[[nodiscard]] Images read_cifar(std::span<const std::filesystem::path> paths);

/// The same for bytes in memory; `source` is their name in messages.
[[nodiscard]] Images parse_cifar(std::string_view bytes, const std::string& source);

/// The file of labels that belongs to a file of images: in the same folder, `images` in its name
/// replaced by `labels` and `idx3` by `idx1`, plain or packed.
/// Throws: DataError when the name has no `images`, or when there is no such file.
[[nodiscard]] std::filesystem::path find_labels_file(const std::filesystem::path& images_path);

/// The rows of `more` below those of `images`; shapes and names must agree. Throws: DataError.
void append_images(Images& images, const Images& more);

/// Mean and standard deviation (population) of a channel's pixels, each divided by 255.
struct ChannelMoments {
  double mean = 0;
  double sd = 0;
};

/// One per channel, over the rows named. Cost: one pass.
[[nodiscard]] std::vector<ChannelMoments> channel_moments(const Images& images,
                                                          std::span<const Index> rows);

}  // namespace adacvar
