# Short names for common commands.

# list them
default:
    @just --list

# run every check
ci:
    .ci/run

# test the reference codec
run *ARGS:
    cargo run --locked -- run {{ARGS}}

# check the corpus against itself and the documents
lint:
    cargo run --locked -- lint

# run the tests
test:
    cargo test --locked --workspace

# test the corpus with mutants of the reference codec
mutants *ARGS:
    harness/mutants/run {{ARGS}}

# check licences, sources, duplicates and known vulnerabilities of dependencies
deny:
    "$(.ci/tool cargo-deny)/cargo-deny" check

# measure what things cost, with other codecs and engines beside them
bench:
    cargo build --locked --release
    cargo bench --locked -p variant-dev

# fetch a real engine: 3.2.3, 3.6 or 4
engine VERSION:
    adapters/engines/install {{VERSION}}

# build one static program, packed with its checksum
release:
    recipes/release
