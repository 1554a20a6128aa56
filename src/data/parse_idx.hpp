#pragma once

#include "data/images.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// Reads an idx file of images from memory, without labels; `source` is its name in messages.
[[nodiscard]] Images parse_idx_images(std::string_view bytes, const std::string& source);

/// As above, with labels, as read_idx does.
/// Without a path the labels are read from find_labels_file(source).
[[nodiscard]] Images parse_idx(std::string_view bytes, const std::string& source,
                               const std::filesystem::path& labels_path = {},
                               std::vector<std::string> class_names = {});

}  // namespace adacvar
