#include "cli/sha256.hpp"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <array>
#include <new>
#include <stdexcept>

namespace adacvar {

namespace {

void check(int status) {
  if (status != 1) throw std::runtime_error("OpenSSL cannot compute a SHA-256 sum");
}

EVP_MD_CTX* openssl(void* context) { return static_cast<EVP_MD_CTX*>(context); }

}  // namespace

Sha256::Sha256()
    : context_(EVP_MD_CTX_new(), [](void* context) { EVP_MD_CTX_free(openssl(context)); }) {
  if (context_ == nullptr) throw std::bad_alloc();
  check(EVP_DigestInit_ex(openssl(context_.get()), EVP_sha256(), nullptr));
}

void Sha256::update(std::string_view bytes) {
  check(EVP_DigestUpdate(openssl(context_.get()), bytes.data(), bytes.size()));
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(openssl(context_.get()), digest.data(), &size));
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 sum;
  sum.update(bytes);
  return sum.hex();
}

}  // namespace adacvar
