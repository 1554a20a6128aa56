#pragma once

#include <string>
#include <string_view>

namespace adacvar {

/// Rejects content in a well-known but unsupported format, detected by its first bytes, and says
/// what to do instead. Throws: DataError `claims.xlsx: is an Excel workbook; ...`.
void refuse_foreign_format(std::string_view content, const std::string& source);

}  // namespace adacvar
