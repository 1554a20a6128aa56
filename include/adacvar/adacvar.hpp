#pragma once

/// All public headers of the part core.
#include <adacvar/base/error.hpp>
#include <adacvar/base/index.hpp>
#include <adacvar/base/options.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/data/named_sets.hpp>
#include <adacvar/data/preprocess.hpp>
#include <adacvar/data/read_table.hpp>
#include <adacvar/data/split.hpp>
#include <adacvar/data/synthetic.hpp>
#include <adacvar/data/table.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/objective.hpp>
#include <adacvar/learner/optimizer.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/risk/tail_stream.hpp>
#include <adacvar/sampler/adaptive_sampler.hpp>
#include <adacvar/sampler/kdpp.hpp>
#include <adacvar/sampler/make_sampler.hpp>
#include <adacvar/sampler/sampler.hpp>
#include <adacvar/sampler/uniform_sampler.hpp>
#include <adacvar/version.hpp>
