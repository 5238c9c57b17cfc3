# Names for commands; the commands themselves are elsewhere.

# list them
default:
    @just --list

# the whole check
ci:
    .ci/run

# the corpus on the reference codec
run *ARGS:
    cargo run --locked --release -- run {{ARGS}}

# the corpus against itself and the documents
lint:
    cargo run --locked --release -- lint

# the tests that the README names
test:
    cargo test --locked --workspace

# mutants of the reference codec, with the corpus as the only test
mutants *ARGS:
    harness/mutants/run {{ARGS}}

# licences, sources, duplicates and known vulnerabilities of dependencies
deny:
    "$(.ci/tool cargo-deny)/cargo-deny" check

# what a run costs
bench:
    cargo build --locked --release
    cargo bench --locked -p variant-dev --bench figures

# fetch a real engine: 3.2.3, 3.6 or 4
engine VERSION:
    adapters/engines/install {{VERSION}}

# one static program, packed with its checksum
release:
    recipes/release
