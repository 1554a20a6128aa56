// A linear model of least CVaR for rows in memory, beside one of least mean; both judged on new rows.
#include <adacvar/adacvar.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

struct Rows {
  std::vector<float> x;  // two features a row
  std::vector<double> y;
};

// The noise grows with the second feature: most rows are easy, some are not.
Rows make_rows(std::size_t count, adacvar::Rng& rng) {
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = rng.uniform();
    const double b = rng.uniform();
    const double noise = std::pow(b, 8) * -std::log(rng.uniform());
    rows.x.insert(rows.x.end(), {static_cast<float>(a), static_cast<float>(b)});
    rows.y.push_back(2 * a + 30 * noise);
  }
  return rows;
}

void print(const char* name, const adacvar::Model& model, const Rows& test) {
  const adacvar::Score score = model.score({test.x, test.y.size(), 2}, test.y);
  std::printf("%-5s  mean %6.2f  CVaR %7.2f\n", name, score.risk.mean, score.risk.cvar);
}

}  // namespace

int main() {
  adacvar::Rng rng(1);
  const Rows train = make_rows(2000, rng);
  const Rows test = make_rows(2000, rng);
  const adacvar::MatrixView x(train.x, train.y.size(), 2);

  const adacvar::Model tail = adacvar::fit(x, train.y, {.alpha = 0.1});
  const adacvar::Model mean =
      adacvar::fit(x, train.y, {.alpha = 0.1, .algorithm = adacvar::FitAlgorithm::mean});

  std::printf("losses of new rows, squared\n");
  print("mean", mean, test);
  print("tail", tail, test);
  const bool is_better = tail.training_risk().cvar <= mean.training_risk().cvar;
  return is_better && tail.certificate() ? 0 : 1;
}
