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

std::string mnist(const std::string& file) {
  return "https://ossci-datasets.s3.amazonaws.com/mnist/" + file;
}

std::string fashion(const std::string& file) {
  return "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/" +
         file;
}

std::string cifar(const std::string& file) {
  return "A. Krizhevsky, CIFAR-10, binary version (" + file + " in cifar-10-binary.tar.gz)";
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

// The originals are packed. CIFAR-10 comes as one archive of all batches.
std::map<std::string_view, Files> image_files() {
  const std::string digits = "Y. LeCun, C. Cortes and C. Burges, MNIST";
  const std::string clothes = "Zalando Research, Fashion-MNIST";
  return {
      {"mnist",
       {{"mnist/train-images-idx3-ubyte.gz", 9912422,
         "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
         mnist("train-images-idx3-ubyte.gz"), digits},
        {"mnist/train-labels-idx1-ubyte.gz", 28881,
         "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
         mnist("train-labels-idx1-ubyte.gz"), digits},
        {"mnist/t10k-images-idx3-ubyte.gz", 1648877,
         "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
         mnist("t10k-images-idx3-ubyte.gz"), digits},
        {"mnist/t10k-labels-idx1-ubyte.gz", 4542,
         "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
         mnist("t10k-labels-idx1-ubyte.gz"), digits}}},
      {"fashion-mnist",
       {{"fashion-mnist/train-images-idx3-ubyte.gz", 26421880,
         "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
         fashion("train-images-idx3-ubyte.gz"), clothes},
        {"fashion-mnist/train-labels-idx1-ubyte.gz", 29515,
         "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
         fashion("train-labels-idx1-ubyte.gz"), clothes},
        {"fashion-mnist/t10k-images-idx3-ubyte.gz", 4422102,
         "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
         fashion("t10k-images-idx3-ubyte.gz"), clothes},
        {"fashion-mnist/t10k-labels-idx1-ubyte.gz", 5148,
         "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
         fashion("t10k-labels-idx1-ubyte.gz"), clothes}}},
      {"cifar-10",
       {{"cifar-10/data_batch_1.bin", 30730000,
         "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5", "",
         cifar("data_batch_1.bin")},
        {"cifar-10/data_batch_2.bin", 30730000,
         "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed", "",
         cifar("data_batch_2.bin")},
        {"cifar-10/data_batch_3.bin", 30730000,
         "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67", "",
         cifar("data_batch_3.bin")},
        {"cifar-10/data_batch_4.bin", 30730000,
         "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48", "",
         cifar("data_batch_4.bin")},
        {"cifar-10/data_batch_5.bin", 30730000,
         "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add", "",
         cifar("data_batch_5.bin")},
        {"cifar-10/test_batch.bin", 30730000,
         "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b", "",
         cifar("test_batch.bin")}}},
  };
}

}  // namespace

std::vector<NamedFile> named_files(std::string_view set) {
  for (const auto& files :
       {regression_files(), classification_files(), files_without_address(), image_files()}) {
    const auto found = files.find(set);
    if (found != files.end()) return found->second;
  }
  assert(false && "every named set has files");
  return {};
}

}  // namespace adacvar
