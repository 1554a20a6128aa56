#pragma once

#include <string>
#include <string_view>

namespace adacvar {

/// Refuses content in a well-known format that is not read, by its first bytes, and says what to do
/// instead. Throws: DataError `claims.xlsx: is an Excel workbook; ...`.
void refuse_foreign_format(std::string_view content, const std::string& source);

}  // namespace adacvar
