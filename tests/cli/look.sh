# SPDX-License-Identifier: Apache-2.0
# Reports in a browser: look RUN ... makes a check of everything that viewer/test/report.mjs finds.
viewer=$DCSIM_SOURCE/viewer
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
look() { # RUN...
  for directory; do
    if [ -z "$chromium" ]; then
      skip "$directory in a browser" "no chromium"
    elif ! command -v node >/dev/null 2>&1 || [ ! -d "$viewer/node_modules/playwright-core" ]; then
      skip "$directory in a browser" "no node or no viewer/node_modules (scripts/setup.sh --all)"
    else
      within 180 node "$viewer/test/report.mjs" "$chromium" "$directory" >"$scratch/looked" 2>&1
      ended=$?
      while IFS= read -r line; do
        case $line in
          "ok "*) pass "$directory: ${line#ok }" ;;
          "not ok "*) fail "$directory: ${line#not ok }" ;;
          *) echo "# $line" ;;
        esac
      done <"$scratch/looked"
      check "$directory: looked at to the end" [ $ended = 0 ]
    fi
  done
}
