#!/bin/bash -eu
# Builds all targets; seeds and dictionary come from the corpus. Run by OSS-Fuzz and ClusterFuzz in their container.
cargo run --locked --release -- export --format seeds --out "$WORK/seeds"
fuzz/seeds target/release/conform "$WORK/read"
cargo fuzz build --release --all-features
for target in decode differ read values; do
  cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
  [ "$target" = read ] && seeds=$WORK/read || seeds=$WORK/seeds
  (cd "$seeds" && zip -q "$OUT/${target}_seed_corpus.zip" ./*)
  cp "$WORK/seeds.dict" "$OUT/$target.dict"
done
