#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>
#include <string_view>

namespace adacvar::support {

/// Whether `text` contains the parts of `words`, which are separated by ` ... `, in this order.
/// Tests compare the key words of a message, so that its sentence can be improved.
[[nodiscard]] inline bool has_words(std::string_view text, std::string_view words) {
  constexpr std::string_view kSeparator = " ... ";
  while (true) {
    const std::string_view part = words.substr(0, words.find(kSeparator));
    const std::size_t found = text.find(part);
    if (found == std::string_view::npos) return false;
    if (part.size() == words.size()) return true;
    text.remove_prefix(found + part.size());
    words.remove_prefix(part.size() + kSeparator.size());
  }
}

/// Fails unless `call` throws an Error whose message has `words` (see has_words).
template <class Error>
void expect_words(const std::function<void()>& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << "nothing thrown instead of: " << words;
  } catch (const Error& error) {
    EXPECT_TRUE(has_words(error.what(), words)) << error.what() << "\nlacks: " << words;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "wrong type: " << error.what();
  }
}

}  // namespace adacvar::support
