# quantile_bench.R <file> <rows> <columns>: quantile regression at tau = 0.9 by quantreg's interior-point methods.
# The file holds doubles: the columns of the features, the intercept's among them, then the target.
# Prints a line for each method: name, seconds, mean pinball loss.
arguments <- commandArgs(trailingOnly = TRUE)
suppressMessages(library(quantreg))
rows <- as.integer(arguments[2])
columns <- as.integer(arguments[3])
numbers <- readBin(arguments[1], "double", rows * (columns + 1))
x <- matrix(numbers[seq_len(rows * columns)], rows)
y <- numbers[rows * columns + seq_len(rows)]
for (method in c("fn", "pfn")) {
  fit <- if (method == "fn") rq.fit.fnb else rq.fit.pfn
  seconds <- system.time(found <- fit(x, y, tau = 0.9))[3]
  residuals <- y - x %*% found$coefficients
  cat(method, seconds, mean(ifelse(residuals > 0, 0.9 * residuals, -0.1 * residuals)), "\n")
}
