#include "data/named_files.hpp"

#include <cassert>
#include <map>
#include <string>

namespace adacvar {

namespace {

using Files = std::vector<NamedFile>;

std::string uci(const std::string& path) {
  return "https://archive.ics.uci.edu/ml/machine-learning-databases/" + path;
}

std::string libsvm(const std::string& path) {
  return "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/" + path;
}

std::map<std::string_view, Files> regression_files() {
  return {
      {"abalone",
       {{"abalone/abalone.data", 191873,
         "de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f",
         uci("abalone/abalone.data"), "UCI, Abalone (doi 10.24432/C55C7W)"}}},
      {"boston",
       {{"boston-housing/housing.data", 49082,
         "baadf72995725d76efe787b664e1f083388c79ba21ef9a7990d87f774184735a",
         uci("housing/housing.data"), "StatLib, boston; formerly UCI, Housing"}}},
      {"cpu-small",
       {{"cpu-small/cpusmall", 708526,
         "d17474776a36a891dafe48bf2ae639130e0a0895b8d62adc44be177c1d07bc79",
         libsvm("regression/cpusmall"), "LIBSVM Data, cpusmall; from DELVE, comp-activ"}}},
  };
}

// No address: KEEL packs its files into zip archives, and splice is two files put together.
std::map<std::string_view, Files> files_without_address() {
  return {
      {"phoneme",
       {{"phoneme/phoneme.dat", 174983,
         "fe7e701fc5b4a14235f84f2a45ed0f4ac071a9adf59cd1297e69bab4e395d6c6", "",
         "KEEL, phoneme (phoneme.dat in phoneme.zip)"}}},
      {"splice",
       {{"splice/splice.libsvm", 2268477,
         "4ac8c916aa0feb37f1a904db9c32e82e42b7fc7821bf7f1281f2702c5f8653c1", "",
         "LIBSVM Data, splice (the rows of splice, then those of splice.t)"}}},
      {"titanic",
       {{"titanic/titanic.dat", 53107,
         "367671d4845539ff66774acd4ccff332e466664ea49dd179ee103193be8e0349", "",
         "KEEL, titanic (titanic.dat in its zip archive)"}}},
  };
}

std::map<std::string_view, Files> classification_files() {
  const std::string adult = "UCI, Adult (doi 10.24432/C5XW20)";
  const std::string monks = "UCI, MONK's Problems (doi 10.24432/C5R30R)";
  return {
      {"adult",
       {{"adult/adult.data", 3974305,
         "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
         uci("adult/adult.data"), adult},
        {"adult/adult.test", 2003153,
         "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
         uci("adult/adult.test"), adult}}},
      {"australian",
       {{"australian/australian.dat", 28735,
         "3abe5af151afa50b999a9ba21cbc884e80d80a4050b716cf88b34a2e6ecb731c",
         uci("statlog/australian/australian.dat"),
         "UCI, Statlog (Australian Credit Approval) (doi 10.24432/C59012)"}}},
      {"german",
       {{"german/german.data-numeric", 102000,
         "2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8",
         uci("statlog/german/german.data-numeric"),
         "UCI, Statlog (German Credit Data) (doi 10.24432/C5NC77)"}}},
      {"monks",
       {{"monks-1/monks-1.train", 2947,
         "d9c328b6f0e095ab10f7bc8468f1d2141f3d08be73e665c3bf0a62994c922606",
         uci("monks-problems/monks-1.train"), monks},
        {"monks-1/monks-1.test", 10260,
         "e501ada3b21d876ab86f3e1614747bd2edc443a685f229a25e480aa1dea629f6",
         uci("monks-problems/monks-1.test"), monks}}},
      {"spambase",
       {{"spambase/spambase.data", 702942,
         "b1ef93de71f97714d3d7d4f58fc9f718da7bbc8ac8a150eff2778616a8097b12",
         uci("spambase/spambase.data"), "UCI, Spambase (doi 10.24432/C53G6X)"}}},
  };
}

}  // namespace

std::vector<NamedFile> named_files(std::string_view set) {
  for (const auto& files : {regression_files(), classification_files(), files_without_address()}) {
    const auto found = files.find(set);
    if (found != files.end()) return found->second;
  }
  assert(false && "every named set has files");
  return {};
}

}  // namespace adacvar
