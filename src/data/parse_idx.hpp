#pragma once

#include "data/images.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// As read_idx, for a file of images in memory; `source` is its name in messages. Without a path
/// the labels are those of find_labels_file(source).
[[nodiscard]] Images parse_idx(std::string_view bytes, const std::string& source,
                               const std::filesystem::path& labels_path = {},
                               std::vector<std::string> class_names = {});

}  // namespace adacvar
