# Sourced by ./try and ./check: installs what is missing, says what it installs, and exports where things are.
# Works as root and not, and a second time does nothing.

say() { printf '== %s\n' "$*"; }
die() { printf 'error: %s\n' "$1" >&2; [ -n "${2:-}" ] && printf 'hint: %s\n' "$2" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1; then sudo "$@"
  else die "installing Debian packages needs root, and there is no sudo" "as root: apt-get install -y ${missing[*]}"
  fi
}

# need COMMAND PACKAGE: the package is installed unless the command is there.
missing=()
need() { command -v "$1" >/dev/null 2>&1 || missing+=("$2"); }

install_missing() {
  [ "${#missing[@]}" -eq 0 ] && return
  command -v apt-get >/dev/null 2>&1 || die "missing: ${missing[*]}" "install them with your system's package manager"
  say "installing Debian packages: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

need_rust() {
  if ! command -v cargo >/dev/null 2>&1 && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
    PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  fi
  command -v cargo >/dev/null 2>&1 || die "Rust is not installed, and probat is built from source" \
    "install Rust 1.90 or newer with rustup (stable toolchain), then run this again"
}
