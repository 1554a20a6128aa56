"""Features as the engine takes them: views of arrays and CSR matrices, frames with categories."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import validation


def has_categories(X):
    """Whether X is a frame of pandas with a column of categories."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not hasattr(X, "columns"):
        return False
    return any(str(dtype) == "category" for dtype in dtypes)


def _is_frame(X):
    return hasattr(X, "columns") and hasattr(X, "iloc")


def check(estimator, X, *targets, reset, numeric_y=False, allow_nan=False):
    """X, and targets if given, checked as scikit-learn does; float32 and float64 are not copied."""
    arguments = {
        "accept_sparse": "csr",
        "accept_large_sparse": True,
        "dtype": (np.float64, np.float32),
        "reset": reset,
        "force_all_finite": "allow-nan" if allow_nan else True,
    }
    if targets:
        if targets[0] is None:
            raise ValueError("requires y to be passed, but the target y is None")
        arguments.update(y=targets[0], y_numeric=numeric_y, ensure_min_samples=2)
    if hasattr(validation, "validate_data"):  # scikit-learn 1.6 and later
        arguments["ensure_all_finite"] = arguments.pop("force_all_finite")
        return validation.validate_data(estimator, X, **arguments)
    return estimator._validate_data(X, **arguments)


def _check_names(estimator, X, reset):
    if hasattr(validation, "_check_feature_names"):  # scikit-learn 1.6 and later
        validation._check_feature_names(estimator, X, reset=reset)
        validation._check_n_features(estimator, X, reset=reset)
    else:
        estimator._check_feature_names(X, reset=reset)
        estimator._check_n_features(X, reset=reset)


def frame_to_codes(estimator, X, *, reset, categorical=()):
    """A matrix of numbers and codes, and the names of the categories by column.

    `categorical`: columns that are categories whatever their type is now.
    """
    _check_names(estimator, X, reset)
    if not hasattr(estimator, "feature_names_in_"):
        raise ValueError(
            "the columns of a frame with categories need names that are text: X.columns.astype(str)"
        )
    matrix = np.empty(X.shape, dtype=np.float64, order="F")
    levels = {}
    for place, name in enumerate(X.columns):
        column = X.iloc[:, place]
        if name in categorical and str(column.dtype) != "category":
            column = column.astype("category")
        if str(column.dtype) == "category":
            matrix[:, place] = column.cat.codes
            levels[place] = [str(level) for level in column.cat.categories]
            continue
        if column.dtype.kind not in "fiub":
            raise ValueError(
                f"column '{name}' is of type {column.dtype}: numbers or categories are needed "
                "(astype('category'))"
            )
        matrix[:, place] = column
    return matrix, levels


def to_engine(X):
    """What the engine's functions take: the array itself, or the parts of a CSR matrix."""
    if sp.issparse(X):
        return (X.indptr, X.indices, X.data, X.shape[1])
    return X


def read(estimator, X, *, reset, categorical=(), allow_nan=False):
    """X for the engine, and its categories."""
    if _is_frame(X) and (has_categories(X) or len(categorical) > 0):
        return frame_to_codes(estimator, X, reset=reset, categorical=categorical)
    return check(estimator, X, reset=reset, allow_nan=allow_nan), {}
