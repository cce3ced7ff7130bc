//! One form for every selective retrieval, and its pure evaluator over rows.
