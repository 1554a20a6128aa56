#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace adacvar {

/// SHA-256 of bytes that arrive in pieces.
/// Throws: std::runtime_error if OpenSSL has no SHA-256.
class Sha256 {
 public:
  Sha256();

  void update(std::string_view bytes);

  /// Returns the sum as 64 lower-case hexadecimal digits; may be called only once.
  [[nodiscard]] std::string hex();

 private:
  // OpenSSL's EVP_MD_CTX; its headers stay in the .cpp.
  std::unique_ptr<void, void (*)(void*)> context_;
};

/// SHA-256 of `bytes`, as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace adacvar
