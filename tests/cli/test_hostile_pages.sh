#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages of runs whose names are pieces of HTML, in a browser: no script of theirs runs, and nothing is requested.  A page
# that does both shows that the browser would, and that it is seen.
. "$DCSIM_SOURCE/tests/cli/harness.sh"

browser=
for name in chromium chromium-browser google-chrome; do
  [ -n "$browser" ] || browser=$(command -v $name)
done
if [ -z "$browser" ] || ! command -v python3 >/dev/null; then
  skip "report pages of hostile runs in a browser" "no chromium or no python3"
  finish
  exit
fi

# A server that writes down what is asked of it.
cat >listen.py <<'PYTHON'
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open("asked", "a") as file:
            file.write(self.path + "\n")
        self.send_response(204)
        self.end_headers()
    do_POST = do_HEAD = do_GET
    def log_message(self, *_):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open("port.new", "w") as file:
    file.write(str(server.server_address[1]))
import os
os.rename("port.new", "port")
server.serve_forever()
PYTHON
python3 listen.py & listener=$!
trap 'kill $listener 2>/dev/null' EXIT
for _ in $(seq 100); do [ -s port ] || sleep 0.1; done
port=$(cat port)

show() { # PAGE: what the browser makes of it, in dom
  within 120 "$browser" --headless --no-sandbox --disable-gpu --disable-extensions --disable-background-networking \
    --no-first-run --user-data-dir="$PWD/profile" --virtual-time-budget=4000 --dump-dom "file://$PWD/$1" >dom 2>browser.err
}

address="http:\\\\127.0.0.1:$port\\"
image="<img src=${address}image onerror=document.title='stolen'>"
cat >open.html <<HTML
<!DOCTYPE html><title>page</title><p><img src='http://127.0.0.1:$port/image'><script>document.title = 'stolen'</script>
HTML
show open.html
if ! grep -q '<title>stolen</title>' dom || ! grep -q '^/image' asked 2>/dev/null; then
  skip "report pages of hostile runs in a browser" "the browser does not run here"
  finish
  exit
fi
check "a page that is not guarded runs scripts and requests things" true
rm -f asked

python3 - "$image" "$address" >hostile.json <<'PYTHON'
import json, sys
image, address = sys.argv[1:]
# names hold no slash
names = ["<script>document.title='stolen'", "\"'><svg onload=\"document.title='stolen'\">", "--><body onload=document.title='stolen'>" + image,
         "javascript:document.title='stolen'", "${document.title='stolen'}`'\"\\u003cscript\\u003e", image + "]]>"]
bodies = [{"name": name, "shape": image, "mass": 1, "position": [k, 0, 0]} for k, name in enumerate(names)]
print(json.dumps({"name": image, "time": {"step": 0.01, "steps": 4}, "gravity": [0, 0, -1],
                  "shapes": {image: {"type": "box", "size": [0.1, 0.1, 0.1]}}, "bodies": bodies,
                  "control": [{"type": "initial_state", "body": names[0]}],
                  "objective": [{"type": "reach", "body": names[0], "target": [0, 0, 1]},
                                {"type": "reach", "body": names[3], "target": [3, 0, 1], "tolerance": 0.01}],
                  "optimizer": {"type": "adam", "iterations": 2}}))
PYTHON
run 0 optimize hostile.json -o hostile --quiet --no-report
run 0 report hostile
cp -r hostile forged
# What a stranger can write by hand into the run besides: every text of its records.
python3 - "$address" <<'PYTHON'
import json, sys
payload = "</script><script>document.title='stolen';fetch('" + sys.argv[1].replace("\\", "/") + "script')</script><img src=x onerror=document.title='stolen'>"
def forge(value):
    if isinstance(value, dict):
        return {key: value[key] if key in ("status", "format", "optimizer", "type", "model") else forge(value[key]) for key in value}
    return [forge(entry) for entry in value] if isinstance(value, list) else payload if isinstance(value, str) else value
with open("forged/run.json") as file:
    record = json.load(file)
with open("forged/run.json", "w") as file:
    json.dump(forge(record), file)
PYTHON
rm -f forged/*.html forged/report/*.html
"$dcsim" report forged >"$out" 2>"$err"
status=$?
check "a forged run has a page or is refused" [ $status -eq 0 -o $status -eq 3 -o $status -eq 5 -o $status -eq 7 ]
pages=$(find hostile forged -name '*.html' | sort)
check "the run has a page" [ -n "$pages" ]
for page in $pages; do
  show "$page"
  check "$page is shown" grep -q '<body' dom
  check "no script of a text runs in $page" sh -c '! grep -q "<title>stolen" dom'
  check "no text becomes an element of $page" sh -c '! grep -Eq "<(img|svg|body)[^>]* on(error|load)=" dom'
done
check "nothing was asked of the network" [ ! -s asked ]
finish
