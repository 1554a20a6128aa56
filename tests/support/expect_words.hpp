#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>

namespace adacvar::support {

/// Fails unless `call` throws an Error whose message holds `words`.
template <class Error>
void expect_words(const std::function<void()>& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << "nothing thrown instead of: " << words;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "wrong type: " << error.what();
  }
}

}  // namespace adacvar::support
