#include "data/images.hpp"

#include "base/join.hpp"
#include "data/file_bytes.hpp"
#include "data/parse_idx.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace adacvar {

namespace {

constexpr std::uint32_t kImagesMagic = 0x0803;
constexpr std::uint32_t kLabelsMagic = 0x0801;
constexpr std::size_t kPixelValues = 256;
constexpr ImageShape kCifarShape = {.channels = 3, .height = 32, .width = 32};
constexpr std::size_t kCifarRecord = 3073;

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(0, 4)) {
    number = (number << 8U) | static_cast<std::uint8_t>(byte);
  }
  return number;
}

/// A parsed idx file: its dimensions and data.
struct IdxBytes {
  std::vector<std::size_t> sizes;
  std::string_view body;
};

void check_magic(std::uint32_t magic, std::uint32_t expected, const std::string& source) {
  if (magic == expected) return;
  const bool swapped = magic == kLabelsMagic || magic == kImagesMagic;
  throw DataError(
      fmt::format("magic number 0x{:08x}{} instead of 0x{:08x}, that of {} in an idx file", magic,
                  !swapped                ? ""
                  : magic == kLabelsMagic ? ", that of labels,"
                                          : ", that of images,",
                  expected, expected == kLabelsMagic ? "labels" : "images"),
      source);
}

// In floating point, since the product of 32-bit sizes may overflow.
void check_length(const IdxBytes& idx, const std::string& source) {
  double expected = 1;
  for (const std::size_t size : idx.sizes) expected *= static_cast<double>(size);
  if (expected == static_cast<double>(idx.body.size())) return;
  throw DataError(fmt::format("the header says {} = {:.15g} bytes, the file has {}",
                              join(idx.sizes, " x "), expected, idx.body.size()),
                  source);
}

IdxBytes parse_header(std::string_view text, std::uint32_t magic, const std::string& source) {
  const std::size_t dimensions = magic & 0xffU;
  const std::size_t header = 4 + 4 * dimensions;
  if (text.size() >= 4) check_magic(big_endian(text), magic, source);
  if (text.size() < header) {
    throw DataError(fmt::format("{} bytes, the header of an idx file of {} has {}", text.size(),
                                magic == kLabelsMagic ? "labels" : "images", header),
                    source);
  }
  IdxBytes idx{.sizes = {}, .body = text.substr(header)};
  for (std::size_t d = 1; d <= dimensions; ++d) idx.sizes.push_back(big_endian(text.substr(4 * d)));
  if (idx.sizes[0] == 0) throw DataError("the header says that there are no rows", source);
  check_length(idx, source);
  return idx;
}

void check_labels(const Images& images, const std::string& source) {
  const std::size_t classes = images.class_names.size();
  if (classes == 0) return;
  for (std::size_t row = 0; row < images.labels.size(); ++row) {
    if (images.labels[row] < classes) continue;
    throw DataError(fmt::format("label {} in record {}, expected 0 to {}", images.labels[row],
                                row + 1, classes - 1),
                    source);
  }
}

std::vector<std::uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

void replace_in(std::string& name, std::string_view from, std::string_view to) {
  const std::size_t place = name.find(from);
  if (place != std::string::npos) name.replace(place, from.size(), to);
}

std::string without_packing(std::string name) {
  for (const std::string_view packed : {".gz", ".xz"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  return name;
}

using Histogram = std::array<std::uint64_t, kPixelValues>;

// Integer sums make the result independent of the order of the rows.
ChannelMoments moments_of(const Histogram& counts) {
  std::uint64_t pixels = 0, sum = 0;
  for (std::size_t value = 0; value < kPixelValues; ++value) {
    pixels += counts[value];
    sum += value * counts[value];
  }
  if (pixels == 0) return {};
  const double mean = static_cast<double>(sum) / static_cast<double>(pixels);
  double squares = 0;
  for (std::size_t value = 0; value < kPixelValues; ++value) {
    const double distance = static_cast<double>(value) - mean;
    squares += static_cast<double>(counts[value]) * distance * distance;
  }
  const bool constant = std::ranges::count(counts, std::uint64_t{0}) == kPixelValues - 1;
  return {mean / 255, constant ? 0.0 : std::sqrt(squares / static_cast<double>(pixels)) / 255};
}

}  // namespace

std::string label_name(const Images& images, std::uint8_t label) {
  return images.class_names.empty() ? std::to_string(label) : images.class_names.at(label);
}

std::string shape_text(const ImageShape& shape) {
  return fmt::format("{} x {} x {}", shape.channels, shape.height, shape.width);
}

Images read_idx(const std::filesystem::path& images_path, const std::filesystem::path& labels_path,
                std::vector<std::string> class_names) {
  const FileBytes file(images_path);
  return parse_idx(file.text(), file.source(), labels_path, std::move(class_names));
}

Images parse_idx_images(std::string_view bytes, const std::string& source) {
  const IdxBytes idx = parse_header(bytes, kImagesMagic, source);
  Images images;
  images.source = source;
  images.shape = {.channels = 1, .height = idx.sizes[1], .width = idx.sizes[2]};
  if (images.shape.size() == 0) throw DataError("its images have no pixels", source);
  images.pixels = bytes_of(idx.body);
  return images;
}

Images parse_idx(std::string_view bytes, const std::string& source,
                 const std::filesystem::path& labels_path, std::vector<std::string> class_names) {
  Images images = parse_idx_images(bytes, source);
  images.class_names = std::move(class_names);
  const FileBytes labels(labels_path.empty() ? find_labels_file(source) : labels_path);
  images.labels = bytes_of(parse_header(labels.text(), kLabelsMagic, labels.source()).body);
  if (images.labels.size() != images.rows()) {
    throw DataError(
        fmt::format("{} labels, {} has {} images", images.labels.size(), source, images.rows()),
        labels.source());
  }
  check_labels(images, labels.source());
  return images;
}

Images parse_cifar(std::string_view bytes, const std::string& source) {
  if (bytes.empty() || bytes.size() % kCifarRecord != 0) {
    throw DataError(
        fmt::format("{} bytes, a batch of CIFAR-10 has records of {}", bytes.size(), kCifarRecord),
        source);
  }
  Images images;
  images.shape = kCifarShape;
  images.class_names = {"airplane", "automobile", "bird",  "cat",  "deer",
                        "dog",      "frog",       "horse", "ship", "truck"};
  images.source = source;
  images.pixels.reserve(bytes.size());
  for (; !bytes.empty(); bytes.remove_prefix(kCifarRecord)) {
    images.labels.push_back(static_cast<std::uint8_t>(bytes[0]));
    const std::string_view pixels = bytes.substr(1, kCifarShape.size());
    images.pixels.insert(images.pixels.end(), pixels.begin(), pixels.end());
  }
  check_labels(images, source);
  return images;
}

Images read_cifar(std::span<const std::filesystem::path> paths) {
  if (paths.empty()) throw OptionError("no batch of CIFAR-10 is named");
  Images all;
  for (const std::filesystem::path& path : paths) {
    const FileBytes file(path);
    Images batch = parse_cifar(file.text(), file.source());
    if (all.labels.empty()) {
      all = std::move(batch);
      all.pixels.reserve(all.pixels.size() * paths.size());
    } else {
      append_images(all, batch);
    }
  }
  return all;
}

std::filesystem::path find_labels_file(const std::filesystem::path& images_path) {
  const std::string name = images_path.filename().string();
  if (name.find("images") == std::string::npos) {
    throw DataError(
        "holds images without labels; labels are read from a file of the same name with 'labels' "
        "in place of 'images', but this name has no 'images'",
        images_path.string());
  }
  std::string labels = without_packing(name);
  replace_in(labels, "images", "labels");
  replace_in(labels, "idx3", "idx1");
  const std::filesystem::path plain = images_path.parent_path() / labels;
  for (const char* const packed : {"", ".gz", ".xz"}) {
    std::filesystem::path path = plain;
    path += packed;
    std::error_code unreadable;  // the reader says why
    if (std::filesystem::exists(path, unreadable)) return path;
  }
  throw DataError(fmt::format("its file of labels does not exist: expected {}, plain or compressed",
                              plain.string()),
                  images_path.string());
}

void append_images(Images& images, const Images& more) {
  if (more.shape != images.shape) {
    throw DataError(fmt::format("images of {}, those of {} are {}", shape_text(more.shape),
                                images.source, shape_text(images.shape)),
                    more.source);
  }
  if (more.class_names != images.class_names) {
    throw DataError(fmt::format("other classes than {}", images.source), more.source);
  }
  images.pixels.insert(images.pixels.end(), more.pixels.begin(), more.pixels.end());
  images.labels.insert(images.labels.end(), more.labels.begin(), more.labels.end());
}

std::vector<ChannelMoments> channel_moments(const Images& images, std::span<const Index> rows) {
  const std::size_t area = images.shape.height * images.shape.width;
  std::vector<Histogram> counts(images.shape.channels, Histogram{});
  for (const Index row : rows) {
    const std::uint8_t* pixel = images.pixels.data() + row * images.shape.size();
    for (Histogram& channel : counts) {
      for (const std::uint8_t* const end = pixel + area; pixel != end; ++pixel) ++channel[*pixel];
    }
  }
  std::vector<ChannelMoments> moments;
  for (const Histogram& channel : counts) moments.push_back(moments_of(channel));
  return moments;
}

}  // namespace adacvar
