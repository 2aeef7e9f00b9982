//! Tests of obstacles as data and in a model.
