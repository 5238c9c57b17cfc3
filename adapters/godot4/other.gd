extends Node
# A script that typed containers of the corpus name.
