#!/bin/bash -eu
# Builds both targets; seeds and dictionary come from the corpus. Run by OSS-Fuzz and ClusterFuzz in their container.
cargo run --locked --release -- export --fuzz "$WORK/seeds"
cargo fuzz build --release --features differ
for target in decode differ; do
  cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
  (cd "$WORK/seeds" && zip -q "$OUT/${target}_seed_corpus.zip" ./*)
  cp "$WORK/seeds.dict" "$OUT/$target.dict"
done
