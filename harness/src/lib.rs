//! The conformance suite: corpus, judge, runner and reports.

pub mod adapter;
pub mod ask;
pub mod claims;
pub mod compare;
pub mod corpus;
pub mod earlier;
pub mod expectations;
pub mod explain;
pub mod external;
pub mod glob;
pub mod hello;
pub mod implementation;
pub mod interrupt;
pub mod judge;
pub mod leaves;
pub mod lint;
pub mod notation;
pub mod observed;
pub mod problem;
pub mod protocol;
pub mod reference;
pub mod report;
pub mod results;
pub mod run;
pub mod serve;
pub mod verdict;
